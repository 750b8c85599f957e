"""A walk: a document, such as a state, is one file: a frozen value, its schema, and two methods."""

import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from rochull._core.documents import Document
from rochull._core.schemas import Schema, checksum, items, number, text, whole

# counting/state.py
STATE = '''
"""The one new file: how many positives were seen, look by look."""

from dataclasses import dataclass

from rochull._core.documents import Document
from rochull._core.messages import Refusal
from rochull._core.schemas import Schema, items, number, text, whole


class StateError(Refusal):
    """A state cannot be used."""


@dataclass(frozen=True)
class State(Document):
    schema = Schema("rochull-state", "state", {"name": text, "seen": items(whole(least=0)), "wealth": number()})
    refusal = StateError

    name: str
    seen: tuple[int, ...]
    wealth: float

    def _contents(self):
        return {"name": self.name, "seen": list(self.seen), "wealth": self.wealth}

    @classmethod
    def _of_contents(cls, fields):
        if sum(fields["seen"]) == 0 and fields["wealth"] != 1:
            raise ValueError("the state has wealth without a case.")
        return cls(fields["name"], fields["seen"], fields["wealth"])
'''


@pytest.fixture
def kind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The class of a new document."""
    (tmp_path / "scratch_state.py").write_text(STATE, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "scratch_state", raising=False)
    return import_module("scratch_state")


def test_a_new_document(kind: Any, tmp_path: Path) -> None:
    state = kind.State("fraud", (3, 0, 5), 0.1 + 0.2)
    state.save(tmp_path / "state.json")
    assert kind.State.load(tmp_path / "state.json") == state == kind.State.from_json(state.to_json())
    assert sorted(state.to_dict()) == ["checksum", "format", "name", "seen", "version", "wealth"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "rochull-knob"}, "this is not a state document (format is not 'rochull-state', but"),
        ({"version": 2}, "the state has version 2; this rochull reads version 1."),
        ({"seen": [1, -1]}, "the state is not valid at seen.1: it must be a whole number, at least 0."),
        ({"more": 1}, "the state is not valid at more: there is no such field."),
        ({"seen": [0], "wealth": 2.0}, "the state has wealth without a case."),
    ],
)
def test_a_document_that_was_tampered_with(
    kind: Any, change: dict[str, Any], message: str, tmp_path: Path
) -> None:
    document = kind.State("fraud", (3,), 1.5).to_dict() | change
    path = tmp_path / "state.json"
    path.write_text(json.dumps(document | {"checksum": checksum(document)}))
    with pytest.raises(kind.StateError) as caught:
        kind.State.load(path)
    assert str(caught.value).startswith(f"{path}: {message}")
    path.write_text(json.dumps(kind.State("fraud", (3,), 1.5).to_dict() | {"wealth": 9.0}))
    with pytest.raises(kind.StateError, match="was changed after it was written"):
        kind.State.load(path)


SCHEMA = Schema("rochull-state", "state", {"name": text, "seen": items(whole()), "wealth": number()})


@pytest.mark.parametrize("missing", ["_contents", "_of_contents"])
def test_an_incomplete_document_says_what_is_missing(missing: str) -> None:
    parts: dict[str, Any] = {
        "_contents": lambda self: {},
        "_of_contents": classmethod(lambda cls, fields: cls()),
    }
    del parts[missing]
    with pytest.raises(TypeError, match=f"Half is not complete: it does not define {missing}"):
        type("Half", (Document,), {"schema": SCHEMA, **parts})


def test_a_field_that_is_not_written_is_named(kind: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    state = kind.State("fraud", (3,), 1.5)
    monkeypatch.setattr(kind.State, "_contents", lambda self: {"name": "fraud"})
    with pytest.raises(TypeError, match="the state is written without seen, wealth, which its schema names"):
        state.to_json()
