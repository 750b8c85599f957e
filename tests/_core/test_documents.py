"""A document is saved whole or not at all, and what cannot be read is refused with the file's name."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from rochull._core.documents import Document, as_text


class Refused(ValueError):
    pass


@dataclass
class Note(Document):
    _refusal = Refused

    text: str

    def to_json(self) -> str:
        if not self.text:
            raise ValueError("nothing to write.")
        return as_text({"text": self.text})

    @classmethod
    def from_json(cls, text: str | bytes) -> "Note":
        if not text.startswith(b"{" if isinstance(text, bytes) else "{"):
            raise Refused("no note.")
        return cls(str(text))


def test_text_is_plain_json() -> None:
    assert as_text({"é": [1]}) == '{\n "é": [\n  1\n ]\n}\n'
    with pytest.raises(ValueError, match="JSON"):
        as_text(float("nan"))


def test_a_file_holds_the_document(tmp_path: Path) -> None:
    path = tmp_path / "note.json"
    Note("é").save(path)
    assert path.read_bytes().decode() == Note("é").to_json()
    assert Note.load(str(path)) == Note(repr(path.read_bytes()))
    with pytest.raises(ValueError, match="nothing to write"):
        Note("").save(path)
    assert path.read_bytes().decode() == Note("é").to_json()
    assert [found.name for found in tmp_path.iterdir()] == ["note.json"]


def test_a_file_that_is_refused_is_named(tmp_path: Path) -> None:
    path = tmp_path / "note.json"
    path.write_text("x")
    with pytest.raises(Refused) as caught:
        Note.load(path)
    assert str(caught.value) == f"{path}: no note."
    assert caught.value.__cause__ is None
    with pytest.raises(FileNotFoundError):
        Note.load(tmp_path / "absent.json")
