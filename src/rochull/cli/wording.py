"""How messages of the library read on the command line: a parameter as its option, advice where it helps.

A message is worded for the command that runs: it names no option that this one lacks, and advises none that
was typed already.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from rochull._core.messages import Advice, Column, Item, Parameter, Setting, message_of

# Parameters that are not called as their options; the first that the command has.
_CALLED = {
    "clusters": ("cluster",),
    "cv": ("folds",),
    "folds": ("folds", "fold"),
    "max_cases": ("max-reviews",),
    "max_error": ("max-decided-error",),
    "max_share": ("max-review-share",),
    "min_tpr": ("min-recall",),
    "n_resamples": ("bootstrap",),
    "pos_label": ("positive",),
    "prices": ("price",),
    "reviewer's fpr": ("reviewer-fpr",),
    "reviewer's tpr": ("reviewer-tpr",),
    "sample_weight": ("weight",),
    "scores": ("score",),
}

# The options by which advice is taken; and whether it can be where the option was typed already.
_TAKEN_BY = {
    "minimax": ("minimax", False),
    "prefix": ("prefix", True),
    "missing": ("missing", True),
    "least_share": ("min-share", False),
}


@dataclass(frozen=True)
class Wording:
    """The words of one command.

    Attributes
    ----------
    options : the names of its options, without hyphens in front.
    typed : those of them that were typed.
    """

    options: frozenset[str] = frozenset()
    typed: frozenset[str] = frozenset()

    @classmethod
    def of(cls, options: frozenset[str], arguments: Sequence[str]) -> Wording:
        """Return the wording of a command with these options, where these arguments were typed."""
        return cls(options, frozenset(_typed(arguments)))

    def option(self, name: str) -> str | None:
        """The option of a parameter, if the command has it."""
        known = (each for each in (*_CALLED.get(name, ()), name.replace("_", "-")) if each in self.options)
        found = next(known, None)
        return None if found is None else f"--{found}"

    def __call__(self, part: Any) -> str:
        """Word a part of a message."""
        match part:
            case str() | int() | float():
                return str(part)
            case Advice():
                return self._advice(part)
            case Column(column=column):
                return f"score column {column!r}"
            case Item(name="X", item=item):
                return f"score column {item!r}"
            case Parameter():
                return self._parameter(part)
        return self._limit(part)

    def _parameter(self, part: Parameter) -> str:
        option = self.option(part.name)
        match part:
            case _ if option is None:
                return str(part)
            case Setting(value=value):
                return option if value is True else f"{option} {_value(part, value)}"
            case Item(item=item):
                return f"{option} of {item!r}"
        return option

    def _advice(self, advice: Advice) -> str:
        option, again = _TAKEN_BY.get(advice.key, ("", True))
        if option and (option not in self.options or (option in self.typed and not again)):
            return ""
        from rochull.words.clauses import Clause, Vocabulary

        return Vocabulary("command", {}).told(Clause(f"advice.{advice.key}"))

    def _limit(self, part: Any) -> str:
        """A limit as its option, if the command has it; anything else as in Python."""
        from rochull.conditions.clauses import OPTIONS
        from rochull.words.clauses import Clause, WordlessError

        clause = getattr(part, "clause", None)
        try:
            told = OPTIONS.told(clause) if isinstance(clause, Clause) else ""
        except WordlessError:
            return str(part)
        option = told.partition(" ")[0].removeprefix("--")
        return told if option in self.options else str(part)


def _typed(arguments: Sequence[str]) -> Iterator[str]:
    """The names of the options that were typed."""
    for word in arguments:
        if word == "--":
            return
        if word.startswith("--"):
            yield word[2:].partition("=")[0]


def _value(part: Any, value: Any) -> str:
    """A value as it is typed: an interval as LOW:HIGH."""
    if isinstance(value, tuple) and len(value) == 2:
        return ":".join(f"{end:g}" for end in value)
    spec = getattr(part, "spec", "g")
    return repr(value) if spec is None else f"{value:{spec}}"


_WORDING: ContextVar[Callable[[], Wording]] = ContextVar("wording", default=Wording)


@contextmanager
def in_words_of(wording: Callable[[], Wording]) -> Iterator[None]:
    """Word messages for a command; its words are asked for where there is something to say."""
    token = _WORDING.set(wording)
    try:
        yield
    finally:
        _WORDING.reset(token)


def worded(found: object) -> str:
    """An error, a warning or another message in the words of the command that runs."""
    message = message_of(found)
    return str(found) if message is None else message.told(_WORDING.get()())
