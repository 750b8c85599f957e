"""The classifiers of a hybrid, as one value: nothing in it changes, and one more makes another value."""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from rochull._core.messages import Parameter, Refusal, refused
from rochull._core.validation import Labelled
from rochull.conditions.rules import ALWAYS, NEVER
from rochull.hull import refine
from rochull.hull.curve import RocCurve, UsualPoints, area_fraction, at_hundredths, single_thresholds
from rochull.hull.hull import RocHull
from rochull.hull.sources import ArraySource
from rochull.hull.spread import ScoreSpread, spread_of
from rochull.hull.tallies import tally_of
from rochull.hull.unions import is_beneath, union

if TYPE_CHECKING:
    from rochull.scanning.readings import Reading

_DRAWN = 1_000_000  # examples up to which the raw curve is sorted out for drawing
_DRAWN_ERROR = 1e-3  # of the curves that are kept for drawing
_SCANNED = b"scan"  # instead of a fingerprint of labels and weights


@dataclass(frozen=True, eq=False)
class Member:
    """A classifier: its hull, and as much as is known of its raw curve.

    Attributes
    ----------
    name : str
    hull : RocHull
    curve : RocCurve or None
        Thinned for drawing.
    singles : RocCurve or None
        Every threshold that can be the best single one, of a complete curve.
    hundredths : UsualPoints or None
        The points at thresholds that people write.
    spread : ScoreSpread or None
        How the scores lie, of a complete curve.
    auc : float or None
        Area under the raw curve.
    """

    name: str
    hull: RocHull
    curve: RocCurve | None = None
    singles: RocCurve | None = None
    hundredths: UsualPoints | None = None
    spread: ScoreSpread | None = None
    auc: float | None = None

    @classmethod
    def from_curve(
        cls, name: str, hull: RocHull, curve: RocCurve, drawn: RocCurve, auc: float | None = None
    ) -> Member:
        """Make one whose raw curve is at hand; thresholds are read from a complete curve only."""
        if curve.max_error:
            return cls(name, hull, drawn, auc=auc)
        return cls(name, hull, drawn, single_thresholds(curve), at_hundredths(curve), spread_of(curve), auc)

    @classmethod
    def from_examples(cls, name: str, data: Labelled, *, curve: bool) -> Member:
        """Make one from scores; beyond a million of them the raw curve is known only if it is asked for."""
        if curve or data.scores.size <= _DRAWN:
            groups = tally_of(data)
            raw = RocCurve.from_tally(groups, data.lower_is_positive)
            hull = RocHull.from_curve(raw)
            held = hull if curve else replace(hull, curves={})
            return cls.from_curve(name, held, raw, raw.thin(), area_fraction(*refine.area_of(groups)))
        source = ArraySource(data)
        hull = RocHull.from_blocks(refine.blocks_of(source), data.lower_is_positive)
        return cls(name, hull, auc=area_fraction(*refine.exact_area(source)))

    @classmethod
    def from_reading(cls, name: str, found: Reading, *, curve: bool) -> Member:
        """Make one from a column of a scan."""
        fine = found.curve
        hull = RocHull.from_blocks(found.blocks, fine.lower_is_positive)
        drawn = fine.thin(_DRAWN_ERROR - fine.max_error) if fine.max_error < _DRAWN_ERROR else fine
        held = replace(hull, curves={None: fine}) if curve else hull
        return cls.from_curve(name, held, fine, drawn, float(found.area))

    @property
    def with_curve(self) -> RocHull:
        """Its hull, which holds what is known of its raw curve; the points of a thinned one are exact too."""
        known = self.curve if self.singles is None else self.singles
        if known is None or self.hull.curves:
            return self.hull
        return replace(self.hull, curves={self.name: known})

    @property
    def is_complete(self) -> bool:
        """Whether every threshold is known that can be the best single one."""
        if self.singles is not None:
            return True
        if self.hull.curves:
            return not any(curve.max_error for curve in self.hull.curves.values())
        return len(self.hull) <= 3 and self.hull.blocks is None

    @property
    def seems_reversed(self) -> bool:
        """Whether negatives score higher than positives, on the whole."""
        return self.auc is not None and self.auc < 0.5


@dataclass(frozen=True)
class Examples:
    """The examples that classifiers were scored on, as a fingerprint, and the classifier that came last."""

    classifier: str
    fingerprint: bytes

    @classmethod
    def of(cls, name: str, data: Labelled) -> Examples:
        """Take the fingerprint of labels and weights, in order."""
        digest = hashlib.blake2b((data.positive == 1).tobytes(), digest_size=16)
        if data.weights is not None:
            digest.update(data.weights.tobytes())
        return cls(name, digest.digest())

    @classmethod
    def of_scan(cls, name: str) -> Examples:
        """Stand for rows that were scanned."""
        return cls(name, _SCANNED)

    def refuse_others(self, other: Examples) -> None:
        """Raise if the examples of another classifier are not known to be the same."""
        if self.fingerprint == _SCANNED:
            raise ValueError(
                f"{self.classifier!r} comes from a scan, so nobody can tell whether y_true of "
                f"{other.classifier!r} is that of the same rows: scan all columns together."
            )
        if self.fingerprint != other.fingerprint:
            raise Refusal(
                "y_true or {} of {} is not that of {}: classifiers of one hybrid must be scored on the "
                "same examples in the same order.",
                Parameter("sample_weight"),
                repr(other.classifier),
                repr(self.classifier),
            )


@dataclass(frozen=True, eq=False)
class Members:
    """All classifiers of a hybrid, in the order in which they were added, and what they share.

    Attributes
    ----------
    each : tuple of Member
    union : RocHull or None
        Their union hull; None as long as there is no classifier.
    examples : Examples or None
    about : dict of str to str
        The label's column and its positive class, where they were named.
    left_out : int
        Classifiers that the same examples were used to leave out.
    repeats : int
        Scores of examples that have been scored before.
    """

    each: tuple[Member, ...] = ()
    union: RocHull | None = None
    examples: Examples | None = None
    about: dict[str, str] = field(default_factory=dict)
    left_out: int = 0
    repeats: int = 0

    @property
    def hulls(self) -> dict[str, RocHull]:
        """The hulls by name."""
        return {member.name: member.hull for member in self.each}

    @property
    def n_candidates(self) -> int:
        """How many classifiers the examples could choose among."""
        return len(self.each) + self.left_out

    def check_name(self, name: str) -> None:
        """Raise if a newcomer cannot have this name."""
        if str(name) != name or not name:
            raise refused("name", "must be a non-empty string, but is {}.", repr(name))
        if any(member.name == name for member in self.each):
            raise refused("name", "{} is taken: a classifier can be added once.", repr(name))

    def joined(self, member: Member, examples: Examples | None = None) -> Members:
        """Take in a classifier with a new name; `examples` are known to be the same, None for rates."""
        hull = member.hull.named(member.name)
        if self.repeats and examples is not None:
            # The counts are weights then, not numbers of independent examples.
            hull = replace(hull, units=replace(hull.units, weighted=True))
        together = self.union
        if together is None:
            together = union({member.name: hull})
        elif not is_beneath(hull, together):
            together = union({" and ".join(self.hulls): together, member.name: hull})
        each = *self.each, replace(member, hull=hull)
        return replace(self, each=each, union=together, examples=examples or self.examples)

    def called(self, pos_label: object, label: object = None) -> Members:
        """Keep what the positive class is called, where it was named, for reports."""
        if pos_label is None:
            return self
        column = {"label": label} if isinstance(label, str) else {}
        return replace(self, about={**column, "positive": str(pos_label)})

    def only(self, names: Collection[str]) -> Members:
        """Keep some of the classifiers, in the order in which they were added."""
        each = tuple(member for member in self.each if member.name in names)
        left_out = self.left_out + len(self.each) - len(each)
        kept = replace(self, each=each, union=None, left_out=left_out)
        if each:
            return replace(kept, union=union(kept.hulls))
        if self.union is None:
            return kept
        ends, hull = np.array([0, -1]), self.union  # the constant rules are enough
        bare = RocHull(hull.fp[ends], hull.tp[ends], hull.n_neg, hull.n_pos, hull.units)
        return replace(kept, union=bare.with_owners(((NEVER,), (ALWAYS,))))
