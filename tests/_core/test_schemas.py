"""The one reader of documents: what each description takes, the first fault with its place, and what JSON does."""

import itertools
import json
import math
import tracemalloc
from typing import Any

import pytest

import rochull as rh
from rochull._core import schemas
from rochull._core.schemas import Schema, checksum, items, number, one_of, optional, record, whole

ODD = [None, True, 0, -1, 1.5, math.nan, math.inf, -math.inf, 10**400, "", "a", "inf", "\ud800", [], {}, [0]]

TAKES: dict[str, tuple[schemas.Reader, list[Any]]] = {
    "truth": (schemas.truth, [True]),
    "text": (schemas.text, ["", "a", "inf"]),
    "name": (schemas.name, ["a", "inf"]),
    "one_of": (one_of("a", "b"), ["a"]),
    "whole": (whole(), [0, -1, 10**400]),
    "whole, bounded": (whole(least=-1, below=10**400), [0, -1]),
    "number": (number(), [0, -1, 1.5]),
    "number, open": (number(above=-1, below=1.5), [0]),
    "number, closed": (number(least=-1, most=1.5), [0, -1, 1.5]),
    "extended": (schemas.extended, [0, -1, 1.5, "inf"]),
    "label": (schemas.label, [True, 0, -1, 1.5, "", "a", "inf"]),
    "optional": (optional(one_of("a")), [None, "a"]),
    "items": (items(whole()), [[], [0]]),
    "items, some": (items(whole(), 1), [[0]]),
    "texts": (schemas.texts, [{}]),
    "record": (record({}), [{}]),
}


@pytest.mark.parametrize("name", TAKES)
def test_what_each_reader_takes(name: str) -> None:
    read, good = TAKES[name]
    for value in ODD:
        if any(value is taken or repr(value) == repr(taken) for taken in good):
            read(value)
        else:
            with pytest.raises(ValueError, match="it must "):
                read(value)


def test_what_is_kept() -> None:
    assert [type(number()(value)) for value in (1, 1.5)] == [float, float]
    assert [schemas.extended(value) for value in ("inf", "-inf")] == [math.inf, -math.inf]
    kept = [1, 1.0, -0.0, 2**64 - 1, -(2**63), 5e-324]
    assert [repr(schemas.extended(value)) for value in kept] == list(map(repr, kept))
    assert [schemas.written(schemas.extended(value)) for value in ("inf", "-inf", *kept)] == [
        "inf",
        "-inf",
        *kept,
    ]
    assert items(number())([1, 2]) == (1.0, 2.0)
    for value in (2**64, -(2**63) - 1):
        for read in (schemas.extended, schemas.label):
            with pytest.raises(ValueError, match="64 bits"):
                read(value)


@pytest.mark.parametrize(
    ("read", "message"),
    [
        (whole(), "it must be a whole number"),
        (whole(above=2), "it must be a whole number, above 2"),
        (number(least=0, most=0.5), "it must be a finite number, at least 0 and at most 0.5"),
        (one_of("a", "b"), "it must be 'a' or 'b'"),
        (items(whole(), 2), "it must be a list"),
    ],
)
def test_what_must_be_is_said(read: schemas.Reader, message: str) -> None:
    with pytest.raises(ValueError, match="it must") as caught:
        read(None)
    assert str(caught.value) == message


PART = record({"a": whole(), "b": items(items(whole(), 1))})
WHOLE = Schema("form", "form", {"part": PART, "note": schemas.texts})


def refusal(document: Any) -> str:
    with pytest.raises(ValueError, match="form") as caught:
        WHOLE.checked(document)
    assert caught.value.__cause__ is None
    return str(caught.value)


def made(**changes: Any) -> dict[str, Any]:
    return WHOLE.sealed({"part": {"a": 1, "b": [[1], [2]]}, "note": {}, **changes})


def test_a_document_is_what_it_was() -> None:
    assert WHOLE.checked(made())["part"] == {"a": 1, "b": ((1,), (2,))}
    assert list(made()) == ["format", "version", "part", "note", "checksum"]
    assert made()["checksum"] == checksum(made()) == checksum(dict(reversed(made().items())))


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (made(part=1), "the form is not valid at part: it must be an object."),
        (made(part={"b": []}), "the form is not valid at part.a: the field is required."),
        (made(part={"a": 1, "b": [], "c\n": 1}), "the form is not valid at part.c : there is no such field."),
        (
            made(part={"a": 1, "b": [[1], [2, True]]}),
            "the form is not valid at part.b.1.1: it must be a whole number.",
        ),
        (
            made(part={"a": 1, "b": [[1], []]}),
            "the form is not valid at part.b.1: it must have at least 1 item.",
        ),
        (made(note={"x": 1}), "the form is not valid at note.x: it must be text."),
        ({**made(), "version": 2}, "the form has version 2; this rochull reads version 1."),
        ({**made(), "version": True}, "the form has version True; this rochull reads version 1."),
        ({**made(), "version": 1.0}, "the form has version 1.0; this rochull reads version 1."),
        ({"format": "form"}, "the form is not valid at version: the field is required."),
        ({**made(), "checksum": 1}, "the form is not valid at checksum: it must be text."),
        (
            {**made(), "checksum": ""},
            "the form was changed after it was written: its checksum is not that of its contents.",
        ),
    ],
)
def test_the_first_fault_is_said_with_its_place(document: Any, message: str) -> None:
    assert refusal(document) == message


def test_messages_are_one_short_line() -> None:
    key = "\x1b[31m\u202e\n" + "k" * 1000
    for document in (
        made(**{key: 1}),
        made(note={key: 1}),
        {**made(), "version": key},
        {**made(), "version": 9**999},
    ):
        message = refusal(document)
        assert message.isprintable()
        assert len(message) < 300


@pytest.mark.parametrize("format_", [None, "", [], {}, "other", ["form"], math.nan])
def test_another_format(format_: Any) -> None:
    assert refusal({**made(), "format": format_}) == "this is not a form document (format is not 'form')."
    assert refusal(format_) == "this is not a form document (format is not 'form')."


def test_a_document_of_another_kind_is_named() -> None:
    classes = [
        rh.Policy, rh.policies.FixedPolicy, rh.segments.SegmentPolicy, rh.cascades.CascadePolicy,
        rh.groups.GroupPolicy, rh.multiclass.MulticlassPolicy, rh.Knob, rh.PavCalibrator,
        rh.multiclass.MulticlassCalibrator,
    ]  # fmt: skip
    for cls, other in itertools.permutations(classes, 2):
        if other.schema.format == cls.schema.format:
            continue
        with pytest.raises(ValueError, match="this is not") as caught:
            cls.from_json(json.dumps({"format": other.schema.format}))
        assert str(caught.value) == (
            f"this is not a {cls.schema.what} document (format is not {cls.schema.format!r}, "
            f"but {other.schema.format!r})."
        )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "Expecting value at line 1, column 1"),
        ('{"a":\n 1,}', "at line 2, column 4"),
        ("{} x", "Extra data at line 1, column 4"),
        ("\ufeff{}", "BOM"),
        (b"\xff\xfe", "not UTF-8 at byte 0"),
        ("{}".encode("utf-16"), "not UTF-8 at byte 0"),
        ("{}".encode("utf-16-le"), "at line 1, column 2"),
        ('"\x00"', "Invalid control character"),
        ('[{"a": {"b": 1, "c": 2, "b": 1}}]', "the key 'b' occurs twice in an object"),
        ("[" * 10**6, "nested too deeply"),
        ('{"a":' * 10**6, "nested too deeply"),
        ("9" * 10_000, "an integer has thousands of digits"),
    ],
)
def test_what_is_no_json(text: str | bytes, message: str) -> None:
    with pytest.raises(ValueError, match="the form is not valid: Invalid JSON: ") as caught:
        WHOLE.parsed(text)
    assert message in str(caught.value)
    assert caught.value.__cause__ is None


def test_what_json_allows() -> None:
    assert WHOLE.parsed(b"\xef\xbb\xbf{}") == WHOLE.parsed(bytearray(b"{}")) == {}
    for literal in ("NaN", "Infinity", "-Infinity", "1e999"):
        found = WHOLE.parsed(json.dumps(made()).replace('"a": 1', f'"a": {literal}'))
        assert "part.a: it must be a whole number" in refusal(found)


def test_deep_values_are_refused_where_they_stand() -> None:
    deep: Any = 1
    for _ in range(900):
        deep = [deep]
    assert "part.a" in refusal({**made(), "part": {"a": deep, "b": []}})
    assert "this rochull reads version 1" in refusal({**made(), "version": deep})


def test_many_faults_cost_no_more_than_one() -> None:
    text = json.dumps(
        {**json.loads(rh.Policy.from_hull(rh.roc_hull([1, 0], [1, 0])).to_json()), "points": [0] * 400_000}
    )
    tracemalloc.start()
    with pytest.raises(rh.PolicyError, match=r"the policy is not valid at points\.0: it must be an object"):
        rh.Policy.from_json(text)
    assert tracemalloc.get_traced_memory()[1] < 30e6
    tracemalloc.stop()
