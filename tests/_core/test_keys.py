"""Lots: hashes of keys, the same everywhere, or chance."""

from __future__ import annotations

import hashlib
import warnings
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from profiles import tries
from rochull._core.keys import Lots, limit


def below(lots: Lots, share: float, rows: np.ndarray) -> list[bool]:
    """Tell whether the second of two rules, which has this share, decides each row."""
    return [which == 1 for which in lots.chosen([1 - share, share], rows).tolist()]


def lot(salt: str, key: object) -> int:
    """Independent of the library: the first 32 bits of the MD5 of "salt:key", big-endian."""
    return int(hashlib.md5(f"{salt}:{key}".encode()).hexdigest()[:8], 16)


KEYS = st.one_of(
    st.lists(st.integers(-(2**63), 2**63 - 1), unique=True),
    st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")), unique=True),
)
SHARES = st.one_of(
    st.floats(0, 1),
    st.integers(0, 2**32).map(lambda k: k / 2**32),
    st.integers(0, 2**40).map(lambda k: k / 2**40),
)


@given(KEYS, st.sampled_from(["", "s", "ß'"]), SHARES)
def test_a_lot_falls_into_a_share_exactly(keys: list[Any], salt: str, share: float) -> None:
    array: Any = np.array(keys, object)
    lots = Lots(array, salt, None, len(keys))
    rows = np.arange(len(keys))[::2]
    expected = [Fraction(lot(salt, key), 2**32) < Fraction(share) for key in keys[::2]]
    assert below(lots, share, rows) == expected
    assert [lot(salt, key) < limit(share) for key in keys[::2]] == expected


@given(KEYS, st.sampled_from(["", "s"]))
def test_ranks_ascend_with_the_lots(keys: list[Any], salt: str) -> None:
    array: Any = np.array(keys, object)
    rows = np.arange(len(keys))
    ranked = Lots(array, salt, None, len(keys)).ranked(rows)
    assert [keys[i] for i in ranked] == sorted(keys, key=lambda key: (lot(salt, key), str(key)))


def test_limits() -> None:
    assert [limit(share) for share in (0.0, 2.0**-33, 2.0**-32, 0.5, 1 - 2.0**-33, 1.0)] == [
        0, 1, 1, 2**31, 2**32, 2**32
    ]  # fmt: skip


# Pairs of keys with the same lot where the salt is empty, found by trying the numbers up to 400,000.
COLLISIONS = [(55995, 86342), (83198, 147122), (101896, 163024), (132055, 175192), (74670, 247266)]


def test_equal_lots_are_in_the_order_of_the_keys_texts() -> None:
    for one, other in COLLISIONS:
        assert lot("", one) == lot("", other)
    keys = np.array([*range(50), *(key for pair in COLLISIONS for key in pair)])
    expected = sorted(keys.tolist(), key=lambda key: (lot("", key), str(key)))
    rng = np.random.default_rng(0)
    for _ in range(20):
        order = rng.permutation(keys.size)
        ranked = Lots(keys[order], "", None, keys.size).ranked(np.arange(keys.size))
        assert keys[order][ranked].tolist() == expected
        texts = keys[order].astype(str)
        assert texts[Lots(texts, "", None, keys.size).ranked(np.arange(keys.size))].tolist() == [
            str(key) for key in expected
        ]


def test_rows_of_one_key_stay_in_their_order() -> None:
    keys = [5, 7, 5, 7, 5]
    with pytest.warns(UserWarning, match="3 of 5 cases"):
        ranked = Lots(keys, "", None, 5).ranked(np.arange(5)).tolist()
    assert ranked in ([0, 2, 4, 1, 3], [1, 3, 0, 2, 4])
    with pytest.warns(
        UserWarning, match="2 of 3 cases that are decided by lot repeat the key of another one"
    ):
        assert Lots([8] * 4, "", None, 4).ranked(np.array([3, 1, 2])).tolist() == [3, 1, 2]


@pytest.mark.parametrize("dtype", [np.int64, np.int32, np.uint64, object, str])
def test_an_integer_of_any_type_and_its_text_are_one_key(dtype: Any) -> None:
    keys = np.arange(300)
    rows = np.arange(300)
    plain, other = Lots(keys, "x", None, 300), Lots(keys.astype(dtype), "x", None, 300)
    assert other.ranked(rows).tolist() == plain.ranked(rows).tolist()
    assert below(other, 0.3, rows) == below(plain, 0.3, rows)
    mixed: Any = np.array([np.int32(k) if k % 2 else str(k) for k in keys.tolist()], object)
    assert below(Lots(mixed, "x", None, 300), 0.3, rows) == below(plain, 0.3, rows)


@pytest.mark.parametrize("make", [pl.Series, pd.Series, list, lambda keys: pl.Series(map(str, keys))])
def test_keys_of_any_kind(make: Any) -> None:
    rows = np.arange(100)
    expected = below(Lots(rows, "x", None, 100), 0.5, rows)
    assert below(Lots(make(range(100)), "x", None, 100), 0.5, rows) == expected


def test_a_random_state_draws_for_all_rows_in_turn() -> None:
    rows = np.array([7, 2, 5])
    drawn = np.random.default_rng(3).random(10)
    assert below(Lots(None, "", 3, 10), 0.5, rows) == (drawn[rows] < 0.5).tolist()
    assert Lots(None, "", 3, 10).ranked(rows).tolist() == sorted(rows.tolist(), key=lambda i: drawn[i])


def test_no_rows() -> None:
    none = np.array([], int)
    for key in ([], None):
        lots = Lots(key, "", None, 0)
        assert below(lots, 0.5, none) == lots.ranked(none).tolist() == []


def test_keys_that_repeat_are_counted() -> None:
    lots = Lots(["a", "b", "a", "c", 1, "1"], "", None, 6)
    rows = np.arange(6)
    with pytest.warns(
        UserWarning, match=r"2 of 6 cases that are decided by lot repeat .* one, the first 'a'\."
    ):
        lots.chosen([0.5, 0.5], rows)
    with pytest.warns(UserWarning, match="1 of 3 cases"):
        lots.ranked(np.array([0, 1, 2]))
    lots.chosen([0.5, 0.5], np.array([0, 1, 3]))  # those that are drawn all differ


@tries(60)
@given(st.lists(st.integers(0, 3), min_size=1, max_size=30), st.booleans(), st.integers(0, 5))
def test_equal_levels_are_ordered_by_their_lots(level: list[int], keyed: bool, seed: int) -> None:
    """As by all levels and all lots at once; of a repeated key in the order of the rows."""
    rng = np.random.default_rng(seed)
    key = rng.integers(0, 40, len(level)) if keyed else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # keys that occur again
        lots = Lots(key, "salt", np.random.default_rng(seed), len(level))
        place = np.empty(len(level), np.int64)
        place[lots.ranked(np.arange(len(level)))] = np.arange(len(level))
        assert lots.ordered(np.array(level)).tolist() == np.lexsort((place, level)).tolist()


def test_no_lot_is_drawn_where_nothing_is_equal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Lots, "ranked", None)
    assert Lots([1, 1, 2], "salt", None, 3).ordered(np.array([5, 3, 4])).tolist() == [1, 2, 0]


def test_lots_that_decide_nothing_are_not_drawn_unless_a_generator_moves_on() -> None:
    same = [np.array([True, False, True])] * 2
    lots = Lots(None, "", 7, 3)
    assert lots.mixed(same, (0.5, 0.5)).tolist() == [True, False, True]
    assert "drawn" not in vars(lots)
    generator = np.random.default_rng(7)
    Lots(None, "", generator, 3).mixed(same, (0.5, 0.5))
    assert generator.random() == np.random.default_rng(7).random(4)[3]
    with pytest.raises(ValueError, match="random_state"):
        Lots(None, "", -1, 3).mixed(same, (0.5, 0.5))
