"""JSON documents in files, such as a policy or a calibrator."""

from __future__ import annotations

import json
import os
from abc import abstractmethod
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, ClassVar, Self, TypeVar

from rochull._core.docstrings import EXAMPLES, Described, entries
from rochull._core.messages import Refusal, refused
from rochull._core.schemas import Schema

T = TypeVar("T")


def as_text(document: Any) -> str:
    """JSON of a document, ending in a line break."""
    try:
        return json.dumps(document, indent=1, allow_nan=False, ensure_ascii=False) + "\n"
    except ValueError as error:
        told = "rochull._core.schemas.written writes infinite ones as text"
        raise ValueError(f"the document holds a number that JSON lacks; {told} ({error}).") from None


def check_texts(about: Any, **others: Any) -> None:
    """Raise unless the parameters are text; `about` holds texts under texts."""
    about = {} if about is None else about
    if not isinstance(about, Mapping):
        raise refused("about", 'must be a mapping, such as {{"owner": "me"}}, but is {}.', repr(about))
    for key in about:
        if not isinstance(key, str):
            raise refused("about", "must hold texts under strings, but has the key {}.", repr(key))
        others[f"about[{key!r}]"] = about[key]
    for place, text in others.items():
        if not isinstance(text, str):
            raise ValueError(f"{place} must be a string, but is {text!r}.")


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a file: all of it, or nothing."""
    from rochull._core.files import replacing

    with replacing(Path(path)) as partial:
        Path(partial).write_text(text, encoding="utf-8")


def read_file(
    path: str | os.PathLike[str], read: Callable[[bytes], T], refusal: type[Refusal] = Refusal
) -> T:
    """Read a file; a refusal names it."""
    try:
        return read(Path(path).read_bytes())
    except ValueError as error:
        raise refusal("{}: {}", os.fspath(path), error) from None


class Document(Described):
    """Base of what is written as text and read again; a subclass says what is in it.

    Attributes
    ----------
    schema : of its documents.
    refusal : what a document that is not valid raises.
    """

    parameters_told = EXAMPLES | entries("""
path : str or path-like
    The file; an old one is replaced.
-> Self
    It does exactly what the one that was written would have done, bit for bit.
""")

    schema: ClassVar[Schema]
    refusal: ClassVar[type[Refusal]] = Refusal

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        parts = ("_contents", "_of_contents")
        missing = [name for name in parts if getattr(getattr(cls, name), "__isabstractmethod__", False)]
        if "schema" in vars(cls) and missing:
            raise TypeError(f"{cls.__name__} is not complete: it does not define {' and '.join(missing)}.")

    @abstractmethod
    def _contents(self) -> Mapping[str, Any]:
        """The fields written between the version and the checksum."""

    @classmethod
    @abstractmethod
    def _of_contents(cls, fields: Mapping[str, Any]) -> Self:
        """Make the object that a checked document describes."""

    def to_dict(self) -> dict[str, Any]:
        """Make the document as JSON has it.

        Returns
        -------
        dict
            Of texts, numbers, truth values, null, lists and such dicts; with a checksum.
        """
        return self.schema.sealed(self._contents())

    def to_json(self) -> str:
        """Write the document as text.

        Returns
        -------
        str
            JSON, ending in a line break. It holds numbers and names, never code, and a checksum.
        """
        return as_text(self.to_dict())

    @classmethod
    def from_dict(cls, document: Any) -> Self:
        """Read a document that JSON has been made of.

        Parameters
        ----------
        document : dict
            What :meth:`to_dict` gave; errors are those of :meth:`from_json`.
        """
        try:
            return cls._of_contents(cls.schema.checked(document))
        except ValueError as error:
            raise cls.refusal("{}", error) from None

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Read a document.

        Parameters
        ----------
        text : str or bytes
            What :meth:`to_json` wrote.

        Raises
        ------
        ValueError
            If it is not a valid document; one sentence says what is wrong. No document can make this run
            code.
        """
        try:
            document = cls.schema.parsed(text)
        except ValueError as error:
            raise cls.refusal("{}", error) from None
        return cls.from_dict(document)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the document to a file: all of it, or nothing."""
        write_text(path, self.to_json())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a document from a file.

        Parameters
        ----------
        path : str or path-like
            The file; errors in it are those of :meth:`from_json`.
        """
        return read_file(path, cls.from_json, cls.refusal)
