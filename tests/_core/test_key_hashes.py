"""Hashes of keys: those of published generators, the same for every type, and errors for what is no key."""

import hashlib
from collections.abc import Iterator

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

from rochull._core.key_hashes import key_hashes, mixed, replicate_seeds
from twins import split_mix

MASK = 2**64 - 1


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """Without a compiler, numbers of 64 bits overflow aloud."""
    with np.errstate(over="ignore"):
        yield


def test_the_first_numbers_of_split_mix_64() -> None:
    # The output for the seed 0, as in the tests of many implementations (Java's SplittableRandom, xoshiro's).
    assert mixed(np.array([0, 0x9E3779B97F4A7C15], np.uint64)).tolist() == [
        0xE220A8397B1DCDAF,
        0x6E789E6AA1B965F4,
    ]


@given(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1))
def test_integers(keys: list[int]) -> None:
    assert key_hashes(np.array(keys, np.int64), "key").tolist() == [split_mix(key & MASK) for key in keys]


def test_integers_of_any_type_are_one_key() -> None:
    expected = key_hashes(np.array([0, 7, 100]), "key").tolist()
    for dtype in (np.int8, np.uint16, np.int32, np.uint64):
        assert key_hashes(np.array([0, 7, 100], dtype), "key").tolist() == expected
    assert key_hashes(np.array([2**64 - 1], np.uint64), "key").tolist() == [split_mix(MASK)]


def test_texts() -> None:
    # RFC 1321: MD5 ("abc") = 900150983cd24fb0d6963f7d28e17f72.
    keys = ["abc", "", "Größe"]
    expected = [int(hashlib.md5(key.encode()).hexdigest()[:16], 16) for key in keys]
    assert expected[0] == 0x900150983CD24FB0
    for array in (np.array(keys), np.array(keys, object)):
        assert key_hashes(array, "key").tolist() == expected


@pytest.mark.parametrize(
    ("keys", "says"),
    [
        (np.array([1.5]), "key must hold integers or strings, but has type float64"),
        (np.array(["a", None], object), "key must hold strings .*, but row 1 has a missing value"),
        (np.array(["a", 3], object), r"key must hold strings .*, but row 1 has 3 \(int\)"),
    ],
)
def test_what_is_no_key(keys: np.ndarray, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        key_hashes(keys, "key")


def test_seeds_of_replicates() -> None:
    first = split_mix(5)
    expected = [split_mix((first + r) & MASK) for r in (0, 1, 9)]
    assert replicate_seeds(5, np.array([0, 1, 9])).tolist() == expected
