"""A map of cuts: buckets that begin at given scores, whose hull is that of the sort, divided or not."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from adversaries import FAMILIES, names
from bucket_cases import assert_monotone, probes
from profiles import tries
from rochull._core.validation import Labelled
from rochull.hull.blocks import pool
from rochull.hull.cut_map import CutMap
from rochull.hull.divided import DividedMap
from rochull.hull.refine import assemble, beside_vertices, rounds
from rochull.hull.sources import ArraySource
from rochull.hull.tallies import tally_of
from rochull.hull.tasks import gather


@tries(50)
@given(names, st.integers(0, 2**32), st.integers(2, 200), st.integers(1, 12))
def test_cuts_and_their_parts(family: str, seed: int, n: int, k: int) -> None:
    rng = np.random.default_rng(seed)
    scores = FAMILIES[family](rng, n)
    cuts = CutMap(np.unique(rng.choice(scores, k)) + scores.dtype.type(0))
    expected = [max(0, sum(start <= x for start in cuts.starts) - 1) for x in scores]  # the slow way
    assert cuts.locate(scores).tolist() == cuts.keys(scores).tolist() == expected
    assert cuts.size == cuts.starts.size
    assert_monotone(cuts, probes(scores))
    held = np.bincount(cuts.locate(scores), minlength=cuts.size)
    fine = DividedMap.of(cuts, scores[: n // 2], held > 0, held[held > 0])
    assert_monotone(fine, probes(scores))
    assert np.all(np.diff(cuts.locate(scores)[np.argsort(fine.locate(scores), kind="stable")]) >= 0)


@tries(30)
@given(names, st.integers(0, 2**32), st.integers(1, 9), st.sampled_from([4, 1000]))
def test_rounds_from_cuts_bring_the_hull_of_the_sort(family: str, seed: int, k: int, limit: int) -> None:
    rng = np.random.default_rng(seed)
    scores = FAMILIES[family](rng, 300)
    positive = (rng.random(300) < 0.4).astype(np.uint8)
    positive[:2] = 0, 1
    data = Labelled(positive, scores, None)
    cuts = CutMap(np.unique(np.append(rng.choice(scores, k), scores.min())) + scores.dtype.type(0))
    asked, answers = rounds(cuts, ArraySource(data).units, beside_vertices, lambda: limit), None
    while True:
        try:
            tasks = next(asked) if answers is None else asked.send(answers)
        except StopIteration as done:
            found = assemble(done.value)
            break
        answers = gather(iter([lambda: [(0, data)]]), {0: tasks})[0]
    expected = pool(tally_of(data))
    for name in ("low", "high", "pos_units", "neg_units"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))
