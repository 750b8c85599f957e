"""Colours by name."""

import zlib
from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from rochull._core.palette import COLOURS, least_taken, slots

NAMES = ["boosted", "logistic", "knn", "tree", "naive_bayes"]


def twin(names: list[str], size: int) -> dict[str, int]:
    """One after the other in the order of the alphabet, each where it belongs or at the next least taken."""
    found: dict[str, int] = {}
    for name in sorted(names):
        counts = [list(found.values()).count(place) for place in range(size)]
        place = zlib.crc32(name.encode()) % size
        while counts[place] > min(counts):
            place = (place + 1) % size
        found[name] = place
    return found


def test_a_name_keeps_its_place_in_any_order() -> None:
    assert slots(["boosted"]) == {"boosted": 0}
    assert slots(NAMES) == slots(NAMES[::-1])
    assert len(set(slots(NAMES).values())) == len(NAMES)  # all told apart
    assert slots(["boosted"], taken=[0]) == {"boosted": 1}


@settings(max_examples=40, deadline=None)
@given(st.lists(st.text(max_size=3), unique=True, max_size=15), st.integers(1, 7))
def test_it_is_the_next_of_the_least_taken(names: list[str], size: int) -> None:
    found = slots(names, size)
    assert found == twin(names, size)
    counts = Counter(found.values())
    if names:
        assert max(counts.values()) - min(counts[place] for place in range(size)) <= 1


def test_places_are_counted_round() -> None:
    assert least_taken(Counter([5, 0]), 5, len(COLOURS)) == 1
