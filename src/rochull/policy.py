"""What is deployed: a validated JSON document of operating points that decides under a condition.

The document holds numbers and names, never code. Thresholds are written so that they come back bit
for bit, and rates as the exact counts that they came from, so that a loaded policy chooses exactly
what the hull chose.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from rochull._columns import Columns, keys_1d
from rochull._files import replacing
from rochull._tally import Units
from rochull._validation import Array
from rochull.conditions import Condition
from rochull.hull import RocHull
from rochull.rules import OperatingPoint, Rule

if TYPE_CHECKING:
    from rochull._policy_schema import PolicyDocument

_ONLY_CLASSIFIER = "score"


class PolicyError(ValueError):
    """A policy document is not usable; the message says what is wrong with it."""


@dataclass(frozen=True, eq=False)
class Policy:
    """Operating points and rules, ready to decide under conditions given at run time.

    Attributes
    ----------
    hull : RocHull
        The operating points; their rates were measured on the data that made them (in-sample).
    salt : str
        Mixed into the hash of keys, so that two policies do not randomise alike.
    about : dict of str to str
        Free text on where it comes from.

    Examples
    --------
    >>> import rochull as rh
    >>> policy = rh.Policy.from_hull(rh.roc_hull([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]))
    >>> policy.decide([0.95, 0.75, 0.2], rh.ExpectedCost(cost_fn=5)).tolist()
    [True, True, False]
    """

    hull: RocHull
    salt: str = ""
    about: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def from_hull(cls, hull: RocHull, *, salt: str = "", about: Mapping[str, str] | None = None) -> Policy:
        """Make a policy from the vertices of a hull.

        Parameters
        ----------
        hull : RocHull
            Of one classifier (called "score" if it has no name) or of several.
        salt : str, default=""
            Mixed into the hash of keys.
        about : mapping of str to str, optional
            Free text to keep in the document.

        Returns
        -------
        Policy
            It holds the vertices only, not the raw curves.
        """
        texts = {"salt": salt, **{f"about[{k!r}]": v for k, v in (about or {}).items()}}
        for place, text in texts.items():
            if not isinstance(text, str):
                raise ValueError(f"{place} must be a string, but is {text!r}.")
        if not hull.classifiers:
            hull = hull.named(_ONLY_CLASSIFIER)
        bare = RocHull(hull.fp, hull.tp, hull.n_neg, hull.n_pos, hull.units, _owners=hull.owners)
        return cls(bare, salt, dict(about or {}))

    @property
    def classifiers(self) -> tuple[str, ...]:
        """All classifiers that some condition may need (tuple of str)."""
        return self.hull.classifiers

    def at(self, condition: Condition, deterministic: bool = False) -> OperatingPoint:
        """Find the operating point that decides under a condition; see :meth:`RocHull.at`.

        Parameters
        ----------
        condition : Condition
            With a single number for every parameter.
        deterministic : bool, default=False
            The best single vertex instead of a mixture.

        Returns
        -------
        OperatingPoint
            The same as of the hull that the policy was made from, with two limits: a policy holds
            the vertices only, so a single rule is the best of them, and a limit with a stated
            confidence needs the examples. Give :meth:`decide` the point ``hull.at(condition)`` then.
        """
        return self.hull.at(condition, deterministic)

    # --- deciding ------------------------------------------------------------------------------

    def decide(
        self,
        scores: Any,
        condition: Condition | OperatingPoint,
        *,
        key: ArrayLike | None = None,
        random_state: Any = None,
        deterministic: bool = False,
    ) -> Array:
        """Decide every case.

        Parameters
        ----------
        scores : data frame, mapping of str to array-like, or array-like of shape (n,)
            A column for each classifier that the operating point needs (`policy.at(condition).
            classifiers` says which; no other is read); an array if it needs one only.
        condition : Condition or OperatingPoint
            What to decide under.
        key : array-like of shape (n,), optional
            Integers or strings that identify the cases. Where the point is a mixture, a case's
            decision depends on its key alone: the same on every platform and in every batch.
        random_state : int, Generator or RandomState, optional
            Used for a mixture where no `key` is given.
        deterministic : bool, default=False
            Take the best single rule instead of a mixture.

        Returns
        -------
        ndarray of bool, shape (n,)
            True where the case is called positive. A missing score passes no threshold; it is
            counted in a warning.

        Raises
        ------
        ValueError
            If a column that is needed is missing or not numeric, or lengths differ.
        """
        point = self._point(condition, deterministic)
        columns = Columns(scores, point)
        keys = None if key is None else keys_1d(key, columns.size)
        for name, count in columns.missing_counts():
            warnings.warn(
                f"scores[{name!r}] has {count} missing values, which pass no threshold.", stacklevel=2
            )
        decisions = [_apply(rule, columns) for rule, _ in point.rules]
        if len(decisions) == 1:
            return decisions[0]
        left, right = decisions
        share = point.rules[1][1]
        undecided = np.flatnonzero(left != right)
        if keys is None:
            take_right = _uniform(random_state, columns.size)[undecided] < share
        else:
            take_right = self._hashed(keys[undecided]) < share
        left[undecided] = np.where(take_right, right[undecided], left[undecided])
        return left

    def _point(self, condition: Condition | OperatingPoint, deterministic: bool) -> OperatingPoint:
        """The operating point to decide by; a rule without a name is that of the only classifier."""
        if not isinstance(condition, OperatingPoint):
            return self.at(condition, deterministic)
        nameless = [r for r, _ in condition.rules if r.kind == "threshold" and r.classifier is None]
        if not nameless:
            return condition
        if len(self.classifiers) != 1:
            raise ValueError(f"condition: the rule {str(nameless[0])!r} does not name its classifier.")
        name = self.classifiers[0]
        rules = tuple((replace(r, classifier=name) if r in nameless else r, p) for r, p in condition.rules)
        return replace(condition, rules=rules)

    def _hashed(self, keys: Array) -> Array:
        """A number in [0, 1) for each key: the first 32 bits of an MD5."""
        digests = (hashlib.md5(f"{self.salt}:{key}".encode(), usedforsecurity=False).digest() for key in keys)
        return np.array([int.from_bytes(digest[:4], "big") for digest in digests]) / 2**32

    # --- the document --------------------------------------------------------------------------

    def to_json(self) -> str:
        """Write the document as text.

        Returns
        -------
        str
            JSON, ending in a line break.
        """
        from rochull._policy_schema import FORMAT, VERSION, checksum

        hull = self.hull
        points = [
            {"fp": int(fp), "tp": int(tp), "rules": [_rule_to_dict(rule) for rule in rules]}
            for fp, tp, rules in zip(hull.fp, hull.tp, hull.owners, strict=True)
        ]
        document: dict[str, Any] = {
            "format": FORMAT,
            "version": VERSION,
            "about": dict(self.about),
            "salt": self.salt,
            "n_neg": hull.n_neg,
            "n_pos": hull.n_pos,
            "unit_neg": hull.units.neg,
            "unit_pos": hull.units.pos,
            "weighted": hull.units.weighted,
            "points": points,
        }
        document["checksum"] = checksum(document)
        return json.dumps(document, indent=1, allow_nan=False, ensure_ascii=False) + "\n"

    @classmethod
    def from_json(cls, text: str | bytes) -> Policy:
        """Read a document.

        Parameters
        ----------
        text : str or bytes
            What :meth:`to_json` wrote.

        Returns
        -------
        Policy
            Equal to the one that was written, bit for bit.

        Raises
        ------
        PolicyError
            If it is not a valid policy; one sentence says what is wrong.
        """
        from rochull._policy_schema import parse

        try:
            return _from_document(parse(text))
        except ValueError as error:
            raise PolicyError(str(error)) from None

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
    def load(cls, path: str | os.PathLike[str]) -> Policy:
        """Read a document from a file.

        Parameters
        ----------
        path : str or path-like
            The file.

        Returns
        -------
        Policy
            Equal to the one that was saved, bit for bit.

        Raises
        ------
        PolicyError
            If the file is not a valid policy. No file can make this run code.
        OSError
            If it cannot be read.
        """
        try:
            return cls.from_json(Path(path).read_bytes())
        except PolicyError as error:
            raise PolicyError(f"{os.fspath(path)}: {error}") from None

    def __repr__(self) -> str:
        return (
            f"Policy({len(self.hull)} operating points of {', '.join(self.classifiers) or 'no classifier'})"
        )


def _rule_to_dict(rule: Rule) -> dict[str, Any]:
    if rule.kind != "threshold":
        return {"kind": rule.kind}
    threshold = rule.threshold
    if isinstance(threshold, float) and math.isinf(threshold):
        return {
            "kind": rule.kind,
            "classifier": rule.classifier,
            "threshold": "inf" if threshold > 0 else "-inf",
        }
    return {"kind": rule.kind, "classifier": rule.classifier, "threshold": threshold}


def _from_document(document: PolicyDocument) -> Policy:
    owners = tuple(
        tuple(Rule(rule.kind, rule.classifier, rule.number) for rule in point.rules)
        for point in document.points
    )
    hull = RocHull(
        np.array([point.fp for point in document.points], np.int64),
        np.array([point.tp for point in document.points], np.int64),
        document.n_neg,
        document.n_pos,
        Units(document.unit_neg, document.unit_pos, document.weighted),
        _owners=owners,
    )
    return Policy(hull, document.salt, document.about)


# --- rules on scores --------------------------------------------------------------------------------


def _apply(rule: Rule, columns: Columns) -> Array:
    """Decisions of one rule (n,)."""
    if rule.kind != "threshold":
        return np.full(columns.size, rule.kind == "always")
    scores = columns.columns[rule.classifier]
    passed = np.asarray(scores >= threshold_in(scores.dtype, rule.threshold))
    nulls = columns.nulls.get(rule.classifier)
    return passed if nulls is None else passed & ~nulls


def threshold_in(dtype: np.dtype[Any], threshold: float | None) -> Any:
    """The smallest value of a type that is at least the threshold: comparing with it is exact."""
    if threshold is None:
        raise ValueError("the rule has no threshold.")
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        if threshold > info.max:
            return math.inf
        if threshold <= info.min:
            return info.min
        return dtype.type(math.ceil(threshold))
    with np.errstate(over="ignore"):
        value = dtype.type(threshold)
    if float(value) < threshold:  # as Python numbers: NumPy would round the threshold first
        value = np.nextafter(value, dtype.type(np.inf))
    return value


def _uniform(random_state: Any, size: int) -> Array:
    if isinstance(random_state, np.random.RandomState):
        return random_state.random_sample(size)
    return np.random.default_rng(random_state).random(size)
