"""The outcome of a look at a batch before a decision promises something, and what is said of it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from rochull._core.messages import Refusal, Setting, refused
from rochull._core.results import Result
from rochull._core.warned import Notice, warn

UNUSUAL = 5e-4  # a p-value of scores, which is an upper bound
_TOO_MANY = 2e-4  # that of a share: thresholds promise a little more on the examples that chose them
REMEDY = (
    "Check that they are computed as in training, and that the cases are not of one part of what was learnt, "
    "such as one region; where the classes have changed, label some new cases."
)
_MISFITS = ("keep", "warn", "refuse", "ignore")


class MisfitWarning(Notice):
    """A batch is not what a policy was made from: its scores, or the share of it that is flagged.

    Parameters
    ----------
    template : str or Message
        The sentence, with ``{}`` for each part.
    *parts : object
        What is put in, worded where the message is shown.

    Examples
    --------
    >>> import warnings
    >>> import rochull as rh
    >>> warnings.simplefilter("error", rh.MisfitWarning)  # rather no estimate than a wrong one
    """


class ShareWarning(MisfitWarning):
    """More cases are flagged than the share that was stated; the scores may be of the same kind."""


class MisfitError(Refusal):
    """The same where such a batch is to be refused.

    Parameters
    ----------
    template : str or Message
        The sentence, with ``{}`` for each part.
    *parts : object
        What is put in, worded where the message is shown.
    """


@dataclass(frozen=True)
class BatchCheck(Result):
    """A batch as a policy sees it.

    Attributes
    ----------
    n : int
        Number of cases.
    pvalue : float
        Of the scores as a mixture of the policy's two classes, at any prevalence. It is an upper bound: small
        only where the scores are of another kind. NaN where that is not tested: below 50 cases, and by a
        policy that does not hold the numbers of its examples.
    classifier : str or None
        Whose scores have this p-value.
    looks : str or None
        What scores of another kind look like: "percent", "logits", "probabilities", "reversed", "constant".
    share : float
        Of the cases, those that are called positive; NaN if nothing was decided.
    expected_share : float
        The share that the policy's counts give at the condition's prevalence; NaN if it has none.
    share_pvalue : float
        Of a share as large as this, where the condition limits it; NaN where it does not, or as above.
    review_share, expected_review_share, review_pvalue : float
        The same of the cases that are passed on to be reviewed; NaN where none can be.

    Examples
    --------
    >>> import numpy as np
    >>> import rochull as rh
    >>> rng = np.random.default_rng(0)
    >>> y = rng.random(2000) < 0.2
    >>> policy = rh.Policy.from_hull(rh.roc_hull(y, rng.normal(1.5 * y)))
    >>> batch = rng.normal(1.5 * (rng.random(500) < 0.6))  # more positives: still the same two classes
    >>> print(policy.check(batch))
    500 cases: scores of the kind that the policy was made from (p = 1)
    >>> print(policy.check(100 * batch))
    500 cases: scores of another kind (p = 1e-05)
    """

    n: int
    pvalue: float = math.nan
    classifier: str | None = None
    looks: str | None = None
    share: float = math.nan
    expected_share: float = math.nan
    share_pvalue: float = math.nan
    review_share: float = math.nan
    expected_review_share: float = math.nan
    review_pvalue: float = math.nan

    @property
    def other_kind(self) -> bool:
        """Whether the scores are of another kind, beyond chance (bool)."""
        return self.pvalue < UNUSUAL

    @property
    def other_share(self) -> bool:
        """Whether more is flagged, or reviewed, than was stated, beyond chance (bool)."""
        return any(share.is_other for share in self._shares)

    @property
    def _shares(self) -> tuple[_Share, _Share]:
        flagged = _Share("flagged", self.n, self.share, self.expected_share, self.share_pvalue)
        reviewed = self.review_share, self.expected_review_share, self.review_pvalue
        return flagged, _Share("reviewed", self.n, *reviewed)

    def __str__(self) -> str:
        return self.told()

    def told(self, model: str = "policy") -> str:
        """Tell the tests in one line.

        Parameters
        ----------
        model : str, default="policy"
            What judged the batch.

        Returns
        -------
        str
            Without a full stop.
        """
        if math.isnan(self.pvalue):
            kind = "scores not tested"
        else:
            looks = f", which look like {_LOOKS[self.looks]}" if self.looks and self.other_kind else ""
            of = "another kind" if self.other_kind else f"the kind that the {model} was made from"
            kind = f"scores of {of} (p = {self.pvalue:.2g}){looks}"
        return f"{self.n:,} cases: {kind}{''.join(map(str, self._shares))}"

    def facts(self) -> dict[str, Any]:
        """Give the tests as plain values.

        Returns
        -------
        dict
            By name; None where nothing was tested.
        """
        kind = {
            "pvalue": _told(self.pvalue),
            "other": self.other_kind,
            "classifier": self.classifier,
            "looks": self.looks,
        }
        share, reviews = (share.facts() for share in self._shares)
        return {"kind": kind, "share": share, "reviews": reviews}

    def warnings(self) -> list[MisfitWarning]:
        """Give the warnings that are due.

        Returns
        -------
        list of MisfitWarning
            In the order of their weight.
        """
        found: list[MisfitWarning] = []
        if self.other_kind:
            found.append(
                MisfitWarning(
                    "scores{} are not a mixture of the classes that were learnt, at any prevalence "
                    "(p = {}).{} {}",
                    "" if self.classifier is None else f" of {self.classifier!r}",
                    f"{self.pvalue:.1g}",
                    f" They look like {_LOOKS[self.looks]}." if self.looks else "",
                    REMEDY,
                )
            )
        why = "the scores are of another kind" if self.other_kind else None
        or_scores = ", or other scores" * math.isnan(self.pvalue)
        due = (share for share in self._shares if share.is_other)
        return [*found, *(share.warning(why or f"there are {share.more}{or_scores}") for share in due)]

    def heeded(self, on_misfit: str = "keep") -> BatchCheck:
        """Say what is due.

        Parameters
        ----------
        on_misfit : {"keep", "warn", "refuse"}, default="keep"
            The last raises, the others warn.

        Returns
        -------
        BatchCheck
            Itself.

        Raises
        ------
        MisfitError
            If something is due and is to be refused.
        """
        noted = _NOTED.get()
        if noted is not None:
            noted.append(self)
        for warning in self.warnings():
            if on_misfit == "refuse":
                raise MisfitError(warning.message)
            warn(warning)
        return self


_NOTED: ContextVar[list[BatchCheck] | None] = ContextVar("_NOTED", default=None)  # within `checks_noted`


@contextmanager
def checks_noted() -> Iterator[list[BatchCheck]]:
    """Collect what was found of the batches that are decided within it."""
    found: list[BatchCheck] = []
    before = _NOTED.set(found)
    try:
        yield found
    finally:
        _NOTED.reset(before)


_LOOKS = {
    "percent": "percentages, where they were shares",
    "logits": "log-odds, where they were probabilities",
    "probabilities": "probabilities, where they were log-odds",
    "reversed": "the scores of the other class: low ones for high ones",
    "constant": "one number for all cases",
    None: "",
}


@dataclass(frozen=True)
class _Share:
    """A share of the cases that was decided so, beside the one that was to be expected."""

    what: str
    n: int
    achieved: float
    expected: float
    pvalue: float

    @property
    def is_other(self) -> bool:
        return self.pvalue < _TOO_MANY

    @property
    def more(self) -> str:
        return "more positives" if self.what == "flagged" else "more, or fewer, positives"

    def __str__(self) -> str:
        achieved = "" if math.isnan(self.achieved) else f"; {self.what} {self.achieved:.3g}"
        return achieved + ("" if math.isnan(self.expected) else f", expected {self.expected:.3g}")

    def facts(self) -> dict[str, Any]:
        told = {"pvalue": self.pvalue, "achieved": self.achieved, "expected": self.expected}
        return {name: _told(value) for name, value in told.items()} | {"other": self.is_other}

    def warning(self, why: str) -> ShareWarning:
        verb, cases = ("flag", "cases") if self.what == "flagged" else ("review", "max_cases")
        return ShareWarning(
            "{} of {} cases are {} where the rule was to {} {} (p = {}): {}. A number of cases that no batch "
            "exceeds is given by {}.",
            f"{100 * self.achieved:.3g} %",
            f"{self.n:,}",
            self.what,
            verb,
            f"{100 * self.expected:.3g} %",
            f"{self.pvalue:.1g}",
            why,
            Setting(cases, math.floor(self.expected * self.n)),
        )


def _told(value: float) -> float | None:
    return None if math.isnan(value) else value


def checked_choice(on_misfit: str) -> None:
    """Raise unless it is known what is to be done with a batch of another kind."""
    if on_misfit not in _MISFITS:
        raise refused(
            "on_misfit", 'must be "keep", "warn", "refuse" or "ignore", but is {}.', repr(on_misfit)
        )
