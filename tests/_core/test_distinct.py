"""What differs in a column, by bits and by Python's hashes, against a dict."""

from typing import Any

import numba  # noqa: F401 - so that kernels are asked
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from profiles import tries
from rochull._core import distinct
from rochull._core.distinct import few_integers, first_of_each
from rochull._core.validation import codes_1d

NAMES = ["b", "", "a" * 9, "ä", "b\0c", "\U0001f600", "ab", "7"]


def columns() -> dict[str, Any]:
    at = np.random.default_rng(3).integers(0, len(NAMES), 200)
    shared = np.array([NAMES[i] for i in at], dtype=object)
    return {
        "texts": np.array(NAMES)[at],
        "every other": np.array(NAMES)[at][::2],
        "other bytes": np.array(NAMES)[at].astype(">U9"),
        "short bytes": np.array([b"a", b"bc", b"bcdef"])[at % 3],
        "whole bytes": np.array([b"a", b"bcde"])[at % 2],
        "objects": shared,
        "no object twice": np.array(
            [(NAMES[i] + "x")[:-1] for i in at] + [f"{i}?" for i in at], dtype=object
        ),
        "numbers that are equal": np.array([[1, 1.0, True, "1", 2][i % 5] for i in at], dtype=object),
        "integers": np.array([2**62, -5, 7, 0])[at % 4],
        "unsigned": np.array([2**63, 5], np.uint64)[at % 2],
        "int32": np.array([2**31 - 1, -(2**31)], np.int32)[at % 2],
    }


@pytest.mark.parametrize("name", columns())
def test_codes_are_those_of_a_dict(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    values = columns()[name]
    monkeypatch.setattr(distinct, "_MANY", 10)
    monkeypatch.setattr(distinct, "_ROOM", 4)
    found = first_of_each(values)
    assert found is not None
    first, places = found
    assert np.all(np.diff(first) > 0)
    assert values[first][places].tolist() == values.tolist()
    codes, classes = codes_1d(values, "y")
    monkeypatch.setattr(distinct, "_MANY", 10**6)
    assert first_of_each(values) is None
    plain, expected = codes_1d(values, "y")
    assert (codes.tolist(), list(map(repr, classes))) == (plain.tolist(), list(map(repr, expected)))
    assert codes.dtype == plain.dtype


@tries(60)
@given(st.lists(st.text(max_size=9) | st.sampled_from(["", "\ud800", "ä" * 70, "\U0001f600"]), min_size=4))
def test_texts_that_are_each_an_object_of_their_own(texts: list[str]) -> None:
    values = np.array([*texts, None], object)[:-1]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(distinct, "_MANY", 1)
        patch.setattr(distinct, "_PIECE", 3)
        found = first_of_each(values)
    assert found is not None
    known: dict[str, int] = {}
    assert found[1].tolist() == [known.setdefault(text, len(known)) for text in texts]
    assert found[0].tolist() == [texts.index(text) for text in known]


@pytest.mark.parametrize("text", ["a\0", "a" * 4000, b"a", 1.5])
@pytest.mark.parametrize("piece", [1, 8, 41, 99])
def test_texts_that_have_no_rows_of_one_length(
    text: Any, piece: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(distinct, "_PIECE", piece)
    values = np.array([*map(str, range(40)), text], object)
    assert distinct._letters(values) is None
    rows = distinct._letters(values[:40])
    assert rows is not None
    assert [bytes(row).rstrip(b"\0").decode() for row in rows] == values[:40].tolist()


TEXTS: dict[str, Any] = {
    "pandas": pd.Series,
    "pandas, Arrow": lambda texts: pd.Series(texts, dtype=pd.ArrowDtype(pa.string())),
    "pandas, Python": lambda texts: pd.Series(texts, dtype="string[python]"),
    "pandas, array": lambda texts: pd.array(texts, dtype="string[pyarrow]"),
    "array": pa.array,
    "chunks": lambda texts: pa.chunked_array([texts[:3], texts[3:]], pa.large_string()),
    "dictionary": lambda texts: pa.array([*texts, "never"]).dictionary_encode()[:-1],
    "dictionaries": lambda texts: pa.chunked_array(
        [pa.array(texts[at:]).dictionary_encode()[:3] for at in range(0, len(texts), 3)]
    ),
    "dictionary with one text twice": lambda texts: pa.DictionaryArray.from_arrays(
        [i + len(texts) * (i % 2) for i in range(len(texts))], [*texts, *texts]
    ),
    "polars": lambda texts: pl.Series(texts, dtype=pl.String),
    "polars, categories": lambda texts: pl.Series(["never", *texts], dtype=pl.Categorical)[1:],
    "polars, enumerated": lambda texts: pl.Series(
        texts, dtype=pl.Enum(sorted({*texts, "never"} - {None}, reverse=True))
    ),
    "list": list,
    "tuple": tuple,
}


@tries(20)
@given(st.lists(st.text(max_size=3) | st.sampled_from(["", "b\0", "ä", "\U0001f600"]), min_size=1))
@pytest.mark.parametrize("name", TEXTS)
def test_texts_are_the_same_however_they_are_held(name: str, texts: list[str]) -> None:
    expected = sorted(set(texts))
    for many in (1, len(texts) + 1):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(distinct, "_MANY", many)
            codes, classes = codes_1d(TEXTS[name](texts), "y")
        assert ([classes[code] for code in codes], classes) == (texts, expected)


@pytest.mark.parametrize("name", sorted(TEXTS.keys() - {"dictionaries", "dictionary with one text twice"}))
def test_a_missing_text_is_refused_however_it_is_held(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(distinct, "_MANY", 1)
    with pytest.raises(ValueError, match="missing values, the first at index 2"):
        codes_1d(TEXTS[name](["a", "b", None, "a"]), "y")


def test_of_arrow_only_texts_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(distinct, "_MANY", 1)
    texts, series = pa.array(["a", "b"]), pd.Series(["a", "b"])
    assert distinct._of_arrow(texts) is not None
    for other in (series.astype(object), series.to_frame(), pd.Series([1, 2]), pa.array([1, 2]), ["a"], "a"):
        assert distinct._of_arrow(other) is None
    assert distinct._of_arrow(pa.array([0]).dictionary_encode()) is None
    nothing = pa.DictionaryArray.from_arrays([0, 1], pa.array(["a", None]))
    assert distinct._of_arrow(nothing) is None
    monkeypatch.setattr(distinct, "without_arrow", lambda rows: True)
    assert distinct._of_arrow(texts) is None


@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize(
    ("bad", "message"),
    [(None, "missing values, the first at index 30"), ([1], r"index 30 holds \[1\]")],
)
def test_errors_name_the_row(shared: bool, bad: Any, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(distinct, "_MANY", 10)
    values = np.array([f"k{i // 2 if shared else i}" for i in range(40)], dtype=object)
    values[::2] = values[1::2] if shared else values[::2]
    values[30] = bad
    with pytest.raises(ValueError, match=message):
        codes_1d(values, "y")


@pytest.mark.parametrize("kind", [np.int8, np.uint16, np.int64, np.uint64])
def test_few_integers(kind: type) -> None:
    most = np.iinfo(kind).max
    values = np.array([most, most - 3, most, most - 7], kind)
    codes, known = few_integers(values) or (np.zeros(0), [])
    assert (codes.tolist(), known) == ([2, 1, 2, 0], [int(most) - 7, int(most) - 3, int(most)])
    assert few_integers(np.array([0.5])) is None
    assert few_integers(np.array([0, 1 << 16])) is None


def test_floats_and_few_are_left_alone() -> None:
    assert first_of_each(np.zeros(10**4)) is None
    assert first_of_each(np.array(["a", "b"])) is None


@pytest.mark.parametrize("kind", ["texts", "numbers that are equal", "integers", "objects"])
@pytest.mark.parametrize("ordered", [True, False])
@pytest.mark.parametrize("as_column", [True, False])
def test_categories_are_what_their_values_are(kind: str, ordered: bool, as_column: bool) -> None:
    values = columns()[kind][:100]
    categories = [*dict.fromkeys(values.tolist()), "never" if kind == "texts" else 99][::-1]
    held = pd.Categorical(values.tolist(), categories=categories, ordered=ordered)
    codes, classes = codes_1d(pd.Series(held) if as_column else held, "y")
    plain, expected = codes_1d(np.asarray(held), "y")
    assert (codes.tolist(), classes) == (plain.tolist(), expected)


def test_a_missing_category_is_refused_as_elsewhere() -> None:
    with pytest.raises(ValueError, match="missing values, the first at index 1"):
        codes_1d(pd.Categorical(["a", None, "b"]), "y")


def test_categories_with_far_codes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(distinct, "_COUNTED", 2)
    codes, classes = codes_1d(pd.Categorical(["d", "a", "d"], categories=["d", "c", "b", "a"]), "y")
    assert (codes.tolist(), classes) == ([1, 0, 1], ["a", "d"])
