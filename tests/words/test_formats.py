"""The format of messages, and what is put in their slots."""

import json
from pathlib import Path

import pytest

from rochull.words.clauses import Clause, Vocabulary, catalogue
from rochull.words.formats import FormatError, Slot, names_in, parsed

VECTORS = json.loads(Path(__file__).with_name("vectors.json").read_text(encoding="utf-8"))
PAGE = Vocabulary(
    "page",
    {"number": lambda x: f"{x:,g}", "share": lambda x: f"{100 * x:g} %", "count": lambda n: f"{n:,}"},
)


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["text"])
def test_vectors_that_the_page_shares(vector: dict, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rochull.words.clauses.catalogue", lambda: {"key": vector["text"]})
    assert PAGE.told(Clause("key", **vector["slots"])) == vector["said"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("a } b", "closes a brace"),
        ("a { b", "does not close"),
        ("{}", "without a name"),
        ("{n, plural, one {a}}", "no case 'other'"),
        ("{n, sorted}", "of kind 'sorted'"),
        ("{n, count", "does not close"),
    ],
)
def test_what_cannot_be_read_says_why(text: str, why: str) -> None:
    with pytest.raises(FormatError, match=why):
        parsed(text)


def test_a_clause_within_a_clause_is_told_in_the_same_vocabulary(monkeypatch: pytest.MonkeyPatch) -> None:
    words = {"outer": "with {limit}", "inner": {"reference": "fpr {x, number}", "page": "{x, share} flagged"}}
    monkeypatch.setattr("rochull.words.clauses.catalogue", lambda: words)
    clause = Clause("outer", limit=Clause("inner", x=0.1))
    assert PAGE.told(clause) == "with 10 % flagged"
    assert Vocabulary("reference", PAGE.styles).told(clause) == "with fpr 0.1"


def test_who_has_no_words_for_a_key_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rochull.words.clauses.catalogue", lambda: {"key": {"command": "--x"}})
    assert PAGE.told(Clause("key")) == ""


def test_slots_that_every_clause_has(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rochull.words.clauses.catalogue", lambda: {"key": "{positive} cases"})
    assert Vocabulary("page", {}, {"positive": "bad"}).told(Clause("key")) == "bad cases"


def test_names_in_branches_are_slots_too() -> None:
    assert names_in(parsed("{n, plural, one {{a}} other {# {b}}}")) == {"n", "a", "b"}
    assert parsed("#") == ("#",)
    assert parsed("{n, plural, other {#}}") == (Slot("n", "plural", (("other", (Slot("n", "#"),)),)),)


def test_every_message_of_the_catalogue_can_be_read() -> None:
    for key, found in catalogue().items():
        texts = [found] if isinstance(found, str) else list(found.values())
        slots = [names_in(parsed(text)) for text in texts]
        assert texts
        assert all(own <= slots[0] for own in slots), f"{key}: another vocabulary has a slot of its own"
