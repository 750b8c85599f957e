"""PAV as a calibrator: the blocks of the hull, read as a map from new scores to posteriors and LLRs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Self, cast

import numpy as np
from numpy.typing import ArrayLike

from rochull._core import validation as _validation
from rochull._core.late_bases import check_is_fitted
from rochull._core.messages import refused
from rochull._core.schemas import written
from rochull._core.validation import Array, Labelled
from rochull.calibration import bounds, score_maps
from rochull.calibration.base import Calibrator
from rochull.calibration.calibrator_schema import PAV
from rochull.calibration.columns import the_one
from rochull.calibration.map_sql import MapSql
from rochull.calibration.map_values import Levels
from rochull.calibration.score_maps import Stepped
from rochull.conditions import bayes
from rochull.conditions.costs import ExpectedCost, costs_of
from rochull.conditions.keywords import takes_condition
from rochull.conditions.rules import Scores
from rochull.hull.blocks import Blocks, pool
from rochull.hull.hull import RocHull, hull_of
from rochull.hull.polarity import say_if_reversed
from rochull.hull.tallies import InUnits, Tally, tally_of, units_written
from rochull.scanning.readings import Scan
from rochull.uncertainty.calibration_bands import CalibrationBand, band_of_blocks

if TYPE_CHECKING:
    from rochull.scanning.row_passes import RowPasses

_SAMPLED = 1 << 16  # rows, that tell about where scores are
_INTERPOLATIONS = ("step", "linear", "centred")


@dataclass(frozen=True, eq=False)
class _Fitted:
    """The contents of a map: this, and nothing else, is saved.

    Attributes
    ----------
    interpolation, bound, strict : as fitted, whatever the parameters are set to afterwards.
    hull : of the training data.
    added : units that an added example weighs, (negative, positive).
    scores : distinct scores, descending, of a strict map; else None.
    spread : how far a strict map moves each of its values, see `map_values.spread_levels`; else None.
    centres : where the block of each has its value, descending, of a centred map; else None.
    """

    interpolation: str
    bound: str | None
    strict: bool
    hull: RocHull
    added: tuple[int, int]
    scores: Array | None = None
    spread: Array | None = None
    centres: Array | None = None


class PavCalibrator(Calibrator):
    """PAV calibration: the best rising map on the training data, for every proper scoring rule at once.

    The blocks of the ROC convex hull are its steps (Fawcett & Niculescu-Mizil 2007, Theorem 1). New
    scores between two blocks are mapped by a step or by a straight line.

    Parameters
    ----------
    interpolation : {"step", "linear", "centred"}, default="step"
        "step": a score belongs to the first block, from high scores to low, whose low it reaches; so
        that, without a bound, decisions equal those of the hull exactly. "linear": between two blocks
        the posterior at prevalence 1/2 is linear in the score. "centred": a block has its value at the mean
        of its scores only, and from there to the next block's mean the line runs (centred isotonic
        regression): nothing is flat in between. Beyond the ends all are constant.
    bound : {"laplace", "focal", "misleading", "elub", "invariance"}, optional
        What keeps LLRs finite; without it a block of one class has ±inf. (The command line takes "laplace"
        unless asked otherwise; this class takes none.) "laplace" adds an example of
        each class above the highest score and below the lowest, and pools anew: a block of p
        positives at the top says (p + 1) / (p + 2). "focal" adds the same, but its LLRs are relative
        to the proportions without them, see the notes. "misleading" adds a negative at the top and a
        positive at the bottom. "elub" clips the LLRs to empirical bounds, beyond which one misleading
        example more would make them worse than saying nothing; "invariance" to those of
        invariance verification: where the shares of positives and of negatives beyond an LLR, smoothed, no
        longer bear it out.
    strict : bool, default=False
        Spread the scores of a block a little, inside of [0, 1] and of empirical bounds, so that
        the LLRs of all training scores differ: the map is invertible, and no rank by LLR is lost. What
        that costs, and what holds of posteriors, is in the notes.
    pos_label : object, optional
        The label of the positive class.
    lower_is_positive : bool, default=False
        Low scores mean positive, as those of a distance do.

    Attributes
    ----------
    hull_ : RocHull
        Of the training data.
    blocks_ : Blocks
        The pooled blocks, with the added examples of a bound in them; their ranges hold scores that
        occurred (negated, if `lower_is_positive`). Added examples that were pooled with no data belong to no
        block.
    prevalence_ : float
        Proportion of positives in the training data, including the examples that "laplace" and "misleading"
        add: the prevalence at which ``posterior(scores)`` holds. For the data's own proportion give that.
    bounds_ : tuple of float
        The lowest and the highest LLR that the map can give.
    n_features_in_ : int
        Always 1.

    See Also
    --------
    LogisticCalibrator : A straight line from scores to LLRs.
    load_calibrator : Reads what :meth:`save` wrote.

    Notes
    -----
    LLRs are relative to the training proportions of the data they are made from: log(pos / P) -
    log(neg / N) of a block. They do not depend on the proportion of positives, nor on weights that are
    constant within each class; exactly so without a bound. With added examples P and N include them, so that
    scores which say nothing get LLRs of 0; but for "focal", the rule of Brümmer's FoCal toolkit, which
    takes off the log-odds of the data alone: its LLRs are higher by log((P + 2) N / ((N + 2) P)), 0.509 nats
    with 3 positives and 997 negatives, and its posteriors hold at the data's own proportion. An added
    example weighs the mean weight of its class.

    Straight lines are drawn at prevalence 1/2 for that reason. At the training prevalence they would be
    those of scikit-learn's IsotonicRegression: both are the same where the classes weigh the same. The mean
    of a block's scores weighs the classes alike, too; infinite ones count where there are no others. A
    finite score between a block and an infinite score gets the block's value, one between -inf and inf
    the middle.

    The bounds of "elub" and "invariance" clip what the steps or lines say. Those of added examples are what
    PAV says with them, and the training prevalence counts them too.

    A strict map moves a block's scores apart by their ranks: down from the block's value, by less than
    1e-6 of the way to the next block's. (Up, in a lowest block whose value is 0 or an empirical bound.)
    It is more where float64 cannot tell the scores apart then: by their LLRs, up to half the way, and if
    that does not do, fitting fails; by their posteriors, up to 1e-3 of the way. From score to score it
    is linear, and beyond the ends it flattens out. The LLRs of a pure block are finite then, but for
    infinite scores. A strict map keeps every distinct score, and so does its document.

    Ranks of the training scores by LLR always survive. Ranks and AUC by posterior do at prevalences up to
    1/2 or, if that is more, the proportion of positives among the examples: unless that is so high, or a
    block at the top so pure, that float64 cannot tell posteriors so near 1 apart. At other prevalences
    posteriors may tie; so at that of training, if weights moved it up. (The spread must not depend on
    the classes' weights, as LLRs do not.)

    *What a strict map costs.* A decision is changed only where its threshold lies strictly inside of a
    block's spread, of 1e-6 of the way to the next block. So a rule without weight there loses nothing at
    all: the cost of decisions at a threshold that equals a block's value, or lies between two blocks, is
    that of PAV. At 1e-6 the Brier score, the log score and Cllr of any data are within 1e-5 of those of the
    map that is not strict, at 1e-3 within 1e-2; LLRs of blocks that are not pure move by less than 2.1
    times the spread. No strict map does better for every rule at once: a threshold between two scores of
    a block parts them, and PAV has joined them because that costs more. But with ever smaller spreads
    PAV's value of every single rule is approached.

    References
    ----------
    Brümmer & du Preez 2013, equations (21) to (24) for LLRs, section 6 for strict maps.
    Fawcett & Niculescu-Mizil 2007, Theorem 1.
    Wilbur, Yeganova & Kim 2005, The synergy between PAV and AdaBoost, for the straight lines. Oron &
    Flournoy 2017, Centered isotonic regression: point and interval estimation for dose-response studies.
    Laplace's rule of succession for "laplace"; Brümmer's FoCal toolkit for "focal"; Vergeer, van Es,
    de Jongh, Alberink & Stoel 2016 for "elub"; Alberink et al. 2025, A transparent method to determine limit
    values for likelihood ratio systems, for "invariance".

    Examples
    --------
    >>> import rochull as rh
    >>> calibrator = rh.PavCalibrator().fit([0.9, 0.8, 0.7, 0.1], [1, 0, 1, 0])
    >>> calibrator.posterior([0.95, 0.75, 0.2]).tolist()
    [1.0, 0.5, 0.0]
    >>> calibrator.llr([0.75]).tolist(), calibrator.bounds_
    ([0.0], (-inf, inf))
    >>> calibrator.decide([0.95, 0.75, 0.2], rh.ExpectedCost(cost_fn=5)).tolist()
    [True, True, False]
    """

    schema = PAV

    def __init__(
        self,
        interpolation: str = "step",
        bound: str | None = None,
        strict: bool = False,
        pos_label: object = None,
        lower_is_positive: bool = False,
    ) -> None:
        self.interpolation = interpolation
        self.bound = bound
        self.strict = strict
        self.pos_label = pos_label
        self.lower_is_positive = lower_is_positive

    def _fit(self, data: Labelled) -> None:
        self._check_parameters()
        groups = None
        if self._takes_groups():
            groups = tally_of(data)
            say_if_reversed(data, "X", groups)
            hull = RocHull.from_blocks(pool(groups), data.lower_is_positive)
        else:
            hull = hull_of(data, "X")
        self._learn(hull, bounds.added_mass(_blocks_of(hull), data), groups)

    def fit_scan(
        self,
        scan: Scan,
        score: str | Sequence[str] | None = None,
        *,
        segment: Any = None,
        fold: Any = None,
    ) -> Self:
        """Learn the map from a scan, which may be of more rows than memory holds.

        Parameters
        ----------
        scan : Scan
            What :func:`scan` gave.

        Returns
        -------
        self
            Fitted: the same as by :meth:`fit` to the rows, number by number.

        Raises
        ------
        ValueError
            If there is no such column or group, it lacks a class, or a parameter has a value that it cannot
            have.
        MemoryError
            If the map is to be strict or centred, which takes all distinct scores, and they are more than may
            be held.

        Notes
        -----
        A bound of weighted rows counts those of positive weight, in one pass more.

        Examples
        --------
        >>> import rochull as rh
        >>> table = rh.datasets.load("german_credit_scores")
        >>> scan = rh.scan(table, label="class", scores=["boosted"], pos_label="bad")
        >>> rh.PavCalibrator(bound="laplace").fit_scan(scan).posterior([0.2, 0.8]).round(3).tolist()
        [0.333, 0.702]
        """
        self._check_parameters()
        read = scan.reading(the_one(score), segment=segment, fold=fold)
        self._lower = scan.direction_of(read.score, self.lower_is_positive)
        hull = RocHull.from_blocks(read.blocks, self._lower)
        rows = scan.weighing(segment=segment, fold=fold) if hull.units.weighted else None
        groups = None
        if self._takes_groups():
            groups = scan.tally(read.score, segment=segment, fold=fold, max_error=0)
        self._learn(hull, bounds.mean_units(_blocks_of(hull), rows), groups)
        self.n_features_in_ = 1
        return self

    def fit_rows(self, rows: RowPasses) -> Self:
        from rochull.scanning.tasks import complete

        self._check_parameters()
        self._lower = bool(self.lower_is_positive)
        (name,) = rows.names
        drawn = rows.table.sample(_SAMPLED)
        sample = [drawn[name, number] for number in rows.groups if (name, number) in drawn]
        scanned, key = rows.mapped(np.asarray, np.concatenate(sample)), ("llr", 0)
        hull = RocHull.from_blocks(scanned.both_classes(key).blocks, self._lower)
        weighing = scanned.weighing(*key) if hull.units.weighted else None
        groups = complete(scanned.table, [key])[key] if self._takes_groups() else None
        self._learn(hull, bounds.mean_units(_blocks_of(hull), weighing), groups)
        self.n_features_in_ = 1
        return self

    def fit_tally(self, tally: Tally) -> Self:
        """Learn the map from the counts of groups of equal score.

        Parameters
        ----------
        tally : Tally
            Of whole examples. Its scores are negated where low ones are positive.

        Returns
        -------
        self
            Fitted: as by :meth:`fit` to the examples.
        """
        self._check_parameters()
        self._lower = bool(self.lower_is_positive)
        hull = RocHull.from_blocks(pool(tally), self._lower)
        self._learn(hull, bounds.mean_units(_blocks_of(hull), None), tally if self._takes_groups() else None)
        self.n_features_in_ = 1
        return self

    def _check_parameters(self) -> None:
        if self.interpolation not in _INTERPOLATIONS:
            raise refused(
                "interpolation", 'must be "step", "linear" or "centred", but is {}.', repr(self.interpolation)
            )
        bounds.checked(self.bound)
        if not isinstance(self.strict, (bool, np.bool_)):
            raise refused("strict", "must be True or False, but is {}.", repr(self.strict))
        if self.strict and self.interpolation == "centred":
            raise refused("strict", 'goes with the interpolations "step" and "linear".')

    def _takes_groups(self) -> bool:
        """Whether the map takes all distinct scores, and not only the blocks."""
        return bool(self.strict) or self.interpolation == "centred"

    def _learn(self, hull: RocHull, added: tuple[int, int], groups: Tally | None) -> None:
        """From the hull, the units of added examples, and the distinct scores if the map takes them."""
        made = _Fitted(self.interpolation, self.bound, bool(self.strict), hull, added)
        if groups is not None and self.strict:
            made = replace(made, scores=groups.score)
        elif groups is not None:
            made = replace(made, centres=_centres(groups.score, groups, _blocks_of(hull)))
        self._set(made)

    def _set(self, fitted: _Fitted) -> None:
        """Make the map and the attributes."""
        blocks = whole = base = _blocks_of(fitted.hull)
        data = slice(0, len(blocks))
        if fitted.bound in bounds.ADDED:
            whole, data = bounds.with_added(blocks, fitted.bound, fitted.added)
            blocks = bounds.part_of(whole, data)
            base = base if fitted.bound == "focal" else whole
        odds = _odds(base)
        levels = lines = Levels.of_blocks(whole, data, base)
        if fitted.bound in bounds.EMPIRICAL:
            stated = bounds.Stated.of_blocks(blocks, fitted.added)
            levels = levels.clipped(*bounds.EMPIRICAL[fitted.bound](stated), odds)
        low, high, spread = blocks.low[::-1], blocks.high[::-1], None
        if fitted.scores is not None:
            steps, clipped = fitted.interpolation == "step", fitted.bound in bounds.EMPIRICAL
            made, spread = score_maps.strict_map(
                fitted.scores[::-1], low, levels, float(odds), steps=steps, clipped=clipped,
                plain=_plain_odds(base, fitted.added), spread=fitted.spread,
            )  # fmt: skip
        elif fitted.interpolation == "step":
            made = score_maps.step_map(low, levels, float(odds))
        else:
            if fitted.centres is not None:
                low = high = _apart(_centres(fitted.centres, _blocks_of(fitted.hull), blocks)[::-1])
            made = score_maps.linear_map(low, high, levels, lines, float(odds))
        self._map, self._fitted = made, replace(fitted, spread=spread)
        self.hull_, self.blocks_ = fitted.hull, blocks
        self.prevalence_ = float(odds / (1 + odds))
        self.bounds_ = float(made.levels.llr.min()), float(made.levels.llr.max())

    def _bound(self, data: Labelled) -> None:
        return  # the map has it

    def _says_nothing(self) -> bool:
        return self.bounds_ == (0, 0)

    def _ratios_of(self, data: Labelled) -> None:
        return None  # its hull has the counts

    def _llr(self, scores: Array) -> Array:
        return self._map.llr(scores)

    def _posterior(self, scores: Array, prevalence: float | None) -> Array:
        return self._map.posterior(scores, prevalence)

    def _band(self, confidence: float) -> CalibrationBand:
        return band_of_blocks(_blocks_of(self.hull_), confidence)

    def _in_sql(self, sql: MapSql, columns: Sequence[Any]) -> Any:
        return sql.of_pieces(self._map, columns[0])

    def _order(self, scores: Array) -> Array:
        return scores

    @takes_condition
    def decide(self, scores: ArrayLike, condition: ExpectedCost) -> Array:
        check_is_fitted(self)
        made = self._fitted
        if made.interpolation != "step" or made.bound is not None or made.strict:
            return super().decide(scores, condition)
        if costs_of(condition) is not None:
            condition = condition.at_prevalence(self.hull_.prevalence)
        bayes.slope_of(condition)  # refuses other conditions
        values = _validation.scores_1d(scores, "scores")
        (rule, _), *_ = self.hull_.at(condition).rules
        return rule.passes(values.size, lambda _: Scores(values))

    def steps(self) -> tuple[Array, Array] | None:
        check_is_fitted(self)
        if self._fitted.interpolation != "step" or self._fitted.strict:
            return None  # a strict map rises within its blocks
        if self._lower:
            return None  # its steps begin at negated scores
        low = self.blocks_.low[::-1]
        return low[1:], low

    def as_levels(self, prevalence: float | None = None) -> Stepped | None:
        check_is_fitted(self)
        found = self._map.as_levels(prevalence)
        return found and replace(found, level=lambda scores: found.level(self._rising(scores, "scores")))

    def posterior_and_llr(self, scores: Array, prevalence: float | None = None) -> tuple[Array, Array]:
        return self.posterior(scores, prevalence), self.llr(scores)

    def _document(self) -> dict[str, Any]:
        made, blocks, centred = self._fitted, _blocks_of(self._fitted.hull), {}
        if made.centres is not None:
            centred = {"centres": [written(score) for score in made.centres.tolist()]}
        columns = (blocks.low, blocks.high, blocks.pos_units, blocks.neg_units)
        rows = zip(*(column.tolist() for column in columns), strict=True)
        return {
            "kind": "pav",
            "interpolation": made.interpolation,
            "bound": made.bound,
            "strict": made.strict,
            "score_type": blocks.low.dtype.name,
            "unit_neg": blocks.units.neg,
            "unit_pos": blocks.units.pos,
            "weighted": blocks.units.weighted,
            "added_neg": made.added[0],
            "added_pos": made.added[1],
            "blocks": [
                {"low": written(low), "high": written(high), "pos": pos, "neg": neg}
                for low, high, pos, neg in rows
            ],
            "scores": None if made.scores is None else [written(score) for score in made.scores.tolist()],
            "spread": None if made.spread is None else made.spread.tolist(),
            **centred,
        }

    @classmethod
    def _restore(cls, fields: Mapping[str, Any]) -> Self:
        dtype = np.dtype(fields["score_type"])
        totals = [sum(block[side] for block in fields["blocks"]) for side in ("neg", "pos")]
        units, kind = units_written(fields["unit_neg"], fields["unit_pos"], fields["weighted"], totals)
        low, high, pos, neg = (
            np.array([block[name] for block in fields["blocks"]], dtype)
            for name, dtype in (("low", dtype), ("high", dtype), ("pos", kind), ("neg", kind))
        )
        hull = RocHull.from_blocks(Blocks(low, high, pos, neg, units), fields["lower_is_positive"])
        how = {name: fields[name] for name in ("interpolation", "bound", "strict")}
        restored = cls(**how)
        added, types = (fields["added_neg"], fields["added_pos"]), {"scores": dtype}
        more: dict[str, Any] = {
            name: None if fields[name] is None else np.array(fields[name], types.get(name, float))
            for name in ("scores", "spread", "centres")
        }
        restored._set(_Fitted(**how, hull=hull, added=added, **more))
        return restored


def _blocks_of(hull: RocHull) -> Blocks:
    """The blocks of a hull that was made from examples."""
    return cast(Blocks, hull.blocks)


def _centres(score: Array, counts: InUnits, blocks: Blocks) -> Array:
    """Mean (k,) of each block's scores (m,), which descend, both classes weighing the same; float64.

    Infinite ones count where there are no others.
    """
    pos, neg = (np.asarray(units, float) for units in (counts.pos_units, counts.neg_units))
    first = score.size - np.searchsorted(score[::-1], blocks.high, side="right")
    value, low, high = (np.asarray(each, float) for each in (score, blocks.low, blocks.high))
    known = np.isfinite(value)
    weight = np.where(known, pos / pos.sum() + neg / neg.sum(), 0.0)
    total = np.add.reduceat(weight, first)
    share = weight / np.repeat(np.where(total, total, 1.0), np.diff(first, append=score.size))
    mean = np.add.reduceat(share * np.where(known, value, 0.0), first)
    return np.where(total, np.clip(mean, low, high), np.where(low == high, low, 0.0))


def _apart(centres: Array) -> Array:
    """Centres, which ascend, if float64 tells them apart."""
    if (centres[1:] <= centres[:-1]).any():  # a difference may overflow
        raise refused("interpolation", '"centred" needs scores that float64 tells apart; scale them.')
    return centres


def _odds(blocks: Blocks) -> Fraction:
    """The odds of the positives by weight."""
    units = blocks.units
    pos, neg = int(blocks.pos_units.sum()), int(blocks.neg_units.sum())
    return Fraction(pos) / Fraction(units.pos) / (Fraction(neg) / Fraction(units.neg))


def _plain_odds(blocks: Blocks, mean: tuple[int, int]) -> float:
    """The odds by number of examples, from the mean weight of a negative and of a positive, in units."""
    neg, pos = int(blocks.neg_units.sum()), int(blocks.pos_units.sum())
    return round(Fraction(pos, mean[1])) / round(Fraction(neg, mean[0]))
