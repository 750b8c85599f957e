"""A document is saved whole or not at all, and what cannot be read is refused with the file's name."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from rochull._core.documents import Document, as_text, check_texts
from rochull._core.messages import Refusal, refused
from rochull._core.schemas import Schema, name


class Refused(Refusal):
    pass


@dataclass
class Note(Document):
    schema = Schema("note", "note", {"text": name})
    refusal = Refused

    text: str

    def _contents(self) -> Mapping[str, Any]:
        if not self.text:
            raise ValueError("nothing to write.")
        return {"text": self.text}

    @classmethod
    def _of_contents(cls, fields: Mapping[str, Any]) -> "Note":
        if fields["text"] == "bad":
            raise refused("text", "is a bad note.")
        return cls(fields["text"])


def test_text_is_plain_json() -> None:
    assert as_text({"é": [1]}) == '{\n "é": [\n  1\n ]\n}\n'
    with pytest.raises(ValueError, match="JSON"):
        as_text(float("nan"))


def test_a_file_holds_the_document(tmp_path: Path) -> None:
    path = tmp_path / "note.json"
    Note("é").save(path)
    assert path.read_bytes().decode() == Note("é").to_json()
    assert Note.load(str(path)) == Note.from_dict(Note("é").to_dict()) == Note("é")
    with pytest.raises(ValueError, match="nothing to write"):
        Note("").save(path)
    assert path.read_bytes().decode() == Note("é").to_json()
    assert [found.name for found in tmp_path.iterdir()] == ["note.json"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x", "the note is not valid: Invalid JSON: Expecting value at line 1, column 1."),
        ("{}", "this is not a note document (format is not 'note')."),
        (as_text(Note.schema.sealed({"text": ""})), "the note is not valid at text: it must not be empty."),
        (as_text(Note.schema.sealed({"text": "bad"})), "text is a bad note."),
    ],
)
def test_a_file_that_is_refused_is_named(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "note.json"
    path.write_text(text)
    with pytest.raises(Refused) as caught:
        Note.load(path)
    assert str(caught.value) == f"{path}: {message}"
    assert caught.value.__cause__ is None


def test_a_file_that_is_absent(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        Note.load(tmp_path / "absent.json")


def test_parameters_that_are_no_text() -> None:
    check_texts(None, salt="")
    check_texts({"a": "b"})
    for about, message in (
        ({1: "a"}, "about must hold texts under strings, but has the key 1"),
        ("mine", "about must be a mapping.* but is 'mine'"),
        ({"a": None}, r"about\['a'\] must be a string, but is None"),
    ):
        with pytest.raises(ValueError, match=message):
            check_texts(about)
    with pytest.raises(ValueError, match="salt must be a string, but is 5"):
        check_texts({}, salt=5)


def test_a_refused_file_keeps_the_message_value(tmp_path: Path) -> None:
    (tmp_path / "note.json").write_text(as_text(Note.schema.sealed({"text": "bad"})))
    with pytest.raises(Refused) as caught:
        Note.load(tmp_path / "note.json")
    assert caught.value.parameter == "text"
