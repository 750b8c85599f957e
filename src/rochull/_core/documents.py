"""What is kept as a JSON document in a file: a policy, or a knob."""

from __future__ import annotations

import hashlib
import json
import os
from abc import abstractmethod
from pathlib import Path
from typing import Any, ClassVar, Self

from rochull._core.files import replacing


def as_text(document: Any) -> str:
    """JSON of a document, ending in a line break."""
    return json.dumps(document, indent=1, allow_nan=False, ensure_ascii=False) + "\n"


def checksum(document: dict[str, Any]) -> str:
    """SHA-256 of everything else in the document, in an order and spacing of its own."""
    contents = {key: value for key, value in document.items() if key != "checksum"}
    text = json.dumps(contents, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


class Document:
    """Base of what is written as text and read again; a subclass says how."""

    _refusal: ClassVar[type[ValueError]]  # what `from_json` raises

    @abstractmethod
    def to_json(self) -> str:
        """Write the document as text."""

    @classmethod
    @abstractmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Read a document."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the document to a file: all of it, or nothing.

        Parameters
        ----------
        path : str or path-like
            The file; an old one is replaced.
        """
        text = self.to_json()
        with replacing(Path(path)) as partial:
            Path(partial).write_text(text, encoding="utf-8")

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a document from a file.

        Parameters
        ----------
        path : str or path-like
            The file.

        Returns
        -------
        Self
            It does exactly what the one that was saved would have done; see :meth:`from_json`.

        Raises
        ------
        PolicyError
            If the file is not a valid document. No file can make this run code.
        OSError
            If it cannot be read.
        """
        try:
            return cls.from_json(Path(path).read_bytes())
        except cls._refusal as error:
            raise cls._refusal(f"{os.fspath(path)}: {error}") from None
