"""Readings of a scan: hulls, thinned curves, areas, tallies; resampling and averages from those."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rochull._core import validation
from rochull._core.docstrings import Described, entries
from rochull._core.messages import refused
from rochull._core.results import Result, cut_to
from rochull._core.threads import Bar
from rochull._core.validation import Array
from rochull.hull.blocks import Blocks
from rochull.hull.curve import RocCurve, tally_of_curve
from rochull.hull.hull import RocHull
from rochull.hull.tallies import Tally
from rochull.scanning.areas import AreaBound
from rochull.scanning.engines.table import Column, ScoreTable
from rochull.scanning.row_passes import RowPasses
from rochull.scanning.scanned import ScannedTable
from rochull.scanning.tasks import only

if TYPE_CHECKING:
    from rochull.averaging.fold_measures import Measure
    from rochull.averaging.fold_rows import Points
    from rochull.averaging.roc_average import OperatingPointAverage
    from rochull.uncertainty.resampling import BootstrapInterval

_GROUPS = 10_000  # of a thinned curve, from which replicates are drawn


@dataclass(frozen=True, eq=False)
class Reading:
    """Readings of one column of scores in one group of rows, which has both classes.

    Attributes
    ----------
    score : str
        The name of the column.
    blocks : Blocks
        The PAV blocks, exactly.
    curve : RocCurve
        The raw curve, as fine as it was scanned for.
    area : AreaBound
        The area under the raw curve.
    rows : tuple of int
        Negatives and positives.
    """

    score: str
    blocks: Blocks
    curve: RocCurve
    area: AreaBound
    rows: tuple[int, int]


class Scan(Result, Described):
    """The findings of two passes over a table for all its columns of scores, per segment and per fold.

    Made by :func:`rochull.scan`; the first reading makes the passes. Values are dictionaries: by the name of
    the scores, or by the segment (or fold) and then that.

    Parameters
    ----------
    table : ScoreTable
        The rows, opened by an engine.
    max_error : float, default=1e-4
        How far, in either rate, a point that is dropped from a curve may be from a kept one.
    segment : str, optional
        The name of the column of segments.
    lower_is_positive : collection of str, default=()
        The columns of scores that the table holds negated, because low ones are positive.

    Notes
    -----
    Readings raise ValueError if there is no such column or group, if a group lacks a class that is needed,
    or if the scan was made without segments or folds where these are asked for; and MemoryError if all groups
    are asked for and are more than may be collected.

    Examples
    --------
    >>> import numpy as np
    >>> import rochull as rh
    >>> table = {**rh.datasets.load("german_credit_scores"), "id": np.arange(1000)}
    >>> names = {"label": "class", "scores": ["knn", "boosted"], "fold": "fold", "key": "id"}
    >>> scan = rh.scan(table, **names, pos_label="bad")
    >>> scan.scores, scan.counts(), scan.reading("boosted", fold=3).rows
    (('knn', 'boosted'), (700, 300), (70, 30))
    >>> scan.roc_hulls()["boosted"].auc() > scan.roc_hulls()["knn"].auc(), len(scan.roc_hulls(by="fold"))
    (True, 10)
    >>> {name: round(float(area), 3) for name, area in scan.auc().items()}
    {'knn': 0.759, 'boosted': 0.776}
    >>> len(scan.roc_curves(max_error=0.05)["boosted"])
    41
    >>> scores, labels, weights = scan.examples("boosted")
    >>> rh.BetaCalibrator("am").fit(scores, labels, sample_weight=weights).a_ > 0
    True
    >>> found = scan.bootstrap("auc", "boosted", random_state=0), scan.bootstrap_by_key("auc", "boosted")
    >>> [(round(one.low, 2), round(one.high, 2)) for one in found]
    [(0.74, 0.81), (0.75, 0.81)]
    >>> scan.operating_point_average("boosted", operating_points=30)
    OperatingPointAverage(31 points, 10 folds, operating points)

    Some things are easier to see in fewer rows:

    >>> few = rh.scan({"y": [0, 0, 1, 1], "a": [0.1, 0.4, 0.35, 0.8]}, label="y", scores="a")
    >>> few.tallies()["a"].score.tolist()
    [0.8, 0.4, 0.35, 0.1]
    >>> few.called_positive([0.4, None]).called.tolist()
    [[1.0, 0.0], [1.0, 0.0]]
    """

    parameters_told = entries("""
by : {"segment", "fold"}, optional
    Of all rows if not given.
score : str, optional
    The column of scores; not needed where there is one.
segment, fold : optional
    Of the rows of this segment, or of this fold; of all if not given.
max_error : float, default=1e-4
    As for :meth:`roc_curves`; 0 gives all groups.
statistic : str or callable, default="auc"
    As for :func:`bootstrap`, of one classifier.
level : float, default=0.95
    Nominal coverage.
""")

    _shown = ("scores",)

    def __repr__(self) -> str:
        return cut_to(f"Scan({', '.join(map(str, self.scores))})", 300)

    def __init__(
        self,
        table: ScoreTable,
        *,
        max_error: float = 1e-4,
        segment: str | None = None,
        lower_is_positive: Collection[str] = (),
    ) -> None:
        self._scanned, self._segment = ScannedTable(table, max_error, lower_is_positive), segment

    @property
    def scores(self) -> tuple[str, ...]:
        """The names of the columns of scores (tuple of str)."""
        return self._scanned.table.scores

    @property
    def lower_is_positive(self) -> frozenset[str]:
        """The columns of which low scores are positive; blocks and tallies hold them negated."""
        return self._scanned.lower_is_positive

    def direction_of(self, score: str, lower_is_positive: bool) -> bool:
        """Tell whether low scores of a column are positive, for what is fitted to it.

        Parameters
        ----------
        score : str
            The column.
        lower_is_positive : bool
            The parameter of what is fitted: an error if it does not say the same.

        Returns
        -------
        bool
            True if they are.
        """
        lower = score in self.lower_is_positive
        if validation.truth(lower_is_positive, "lower_is_positive") != lower:
            raise refused(
                "lower_is_positive",
                "is {}, but the scan was made with {} for {}.",
                not lower,
                lower,
                repr(score),
            )
        return lower

    @property
    def segment_column(self) -> str | None:
        """The name of the column that divides the rows into segments (str, or None if there is none)."""
        return self._segment

    def has(self, kind: str) -> bool:
        """Tell whether the scan was made with groups of a kind.

        Parameters
        ----------
        kind : {"segment", "fold"}
            Of what.

        Returns
        -------
        bool
            True if it was.
        """
        return self._scanned.has(kind)

    def _each(self, by: str | None, read: Callable[[Column], Any]) -> dict[Any, Any]:
        """Readings of every column: by score, or by group and score."""
        groups = self._scanned.groups(by)
        found = {
            value: {name: read((name, group)) for name in self.scores} for value, group in groups.items()
        }
        return found[None] if by is None else found

    def _key(self, score: str | None, segment: Any = None, fold: Any = None) -> Column:
        """The column of scores that is named, or the only one, in a group."""
        if score is None and len(self.scores) == 1:
            score = self.scores[0]
        name = only({name: name for name in self.scores}, score, "score")
        return str(name), self._scanned.group(segment, fold)

    # --- hulls, curves, areas -------------------------------------------------------------------

    def roc_hulls(self, by: str | None = None) -> dict[Any, Any]:
        """Give the hull of every column of scores, exactly.

        Returns
        -------
        dict
            The hulls by score, or by group and score; the same as :func:`roc_hull` makes of the rows.
        """
        lower = self.lower_is_positive
        return self._each(
            by, lambda key: RocHull.from_blocks(self._scanned.both_classes(key).blocks, key[0] in lower)
        )

    def blocks(self, by: str | None = None) -> dict[Any, Any]:
        """Give the PAV blocks of every column of scores; unlike hulls, those of one class too.

        Returns
        -------
        dict
            :class:`Blocks` by score, or by group and score.
        """
        return self._each(by, lambda key: self._scanned.column(key).blocks)

    def roc_curves(self, max_error: float = 1e-4, by: str | None = None) -> dict[Any, Any]:
        """Give the raw curve of every column of scores, thinned.

        Parameters
        ----------
        max_error : float, default=1e-4
            How far, in either rate, a dropped point may be from a kept one. A finer curve than was scanned
            for takes another scan; 0 gives complete curves, as far as their rows may be held in memory.

        Returns
        -------
        dict
            :class:`RocCurve` by score, or by group and score. Of a few thousand rows it is complete, unless
            `max_error` is coarser than what was scanned for.
        """
        return self._each(by, lambda key: self._scanned.curve(key, max_error))

    def tallies(self, max_error: float = 1e-4, by: str | None = None) -> dict[Any, Any]:
        """Give the groups that lie between the points of the thinned curves.

        What is computed from groups of equal score (a bootstrap, a calibration by a parametric curve,
        moments) can be computed from these, to within what `max_error` leaves open.

        Returns
        -------
        dict
            :class:`Tally` by score, or by group and score. A merged group has the lowest of its scores.
        """
        return self._each(by, lambda key: tally_of_curve(self._scanned.curve(key, max_error)))

    def auc(self, by: str | None = None, exact: bool = False) -> dict[Any, Any]:
        """Give the area under every raw curve, with certified bounds.

        Parameters
        ----------
        exact : bool, default=False
            Find the order of all rows, where the bounds do not meet; this takes another pass.

        Returns
        -------
        dict
            :class:`AreaBound` by score, or by group and score; ``float`` makes a number of it.

        Notes
        -----
        Buckets in which the hull has no vertex were never looked into; the order of their rows is not
        known. That leaves half of the share of the pairs open that lie together in such a bucket.
        """
        if exact:
            groups = self._scanned.groups(by).values()
            self._scanned.find_exact_areas((name, group) for group in groups for name in self.scores)
        return self._each(by, self._scanned.area)

    def reading(self, score: str | None = None, *, segment: Any = None, fold: Any = None) -> Reading:
        """Give what is known of one column.

        Returns
        -------
        Reading
            Its blocks, its thinned curve and its area.
        """
        key = self._key(score, segment, fold)
        found, group = self._scanned.both_classes(key), self._scanned.rows(key[1])
        curve = replace(found.curve, lower_is_positive=key[0] in self.lower_is_positive)
        return Reading(key[0], found.blocks, curve, self._scanned.area(key), (group.n_neg, group.n_pos))

    # --- rows -------------------------------------------------------------------------------------

    def counts(self, by: str | None = None) -> Any:
        """Count the rows.

        Returns
        -------
        tuple of int, or dict of tuples
            Negatives and positives; by group if `by` is given. Rows of no weight count too.
        """
        groups = {value: self._scanned.rows(number) for value, number in self._scanned.groups(by).items()}
        found = {value: (group.n_neg, group.n_pos) for value, group in groups.items()}
        return found[None] if by is None else found

    def tally(
        self, score: str | None = None, *, segment: Any = None, fold: Any = None, max_error: float = 1e-4
    ) -> Tally:
        """Give the groups of one column, as :meth:`tallies` does of all; of one class too.

        Parameters
        ----------
        max_error : float, default=1e-4
            As for :meth:`roc_curves`; 0 gives all groups, in another pass unless they are few.

        Returns
        -------
        Tally
            Groups of neighbouring scores. A merged group has the lowest of them.
        """
        return self._scanned.tally(self._key(score, segment, fold), max_error)

    def called_positive(self, thresholds: Any, score: str | None = None, *, by: str | None = None) -> Any:
        """Count what is called positive at thresholds; this takes another pass.

        Parameters
        ----------
        thresholds : array-like of shape (k,), or mapping of those
            In any order; by the group, if each has its own. None stands for "never".

        Returns
        -------
        CalledPositive, or dict of them
            Weights `called` (2, k) of the negatives and positives whose score is at least each threshold (at
            most, where low scores are positive), and `totals` (2,); by group if `by` is given.
        """
        name = self._key(score)[0]
        lower = name in self.lower_is_positive
        groups = self._scanned.groups(by)
        each = {
            value: thresholds[value] if isinstance(thresholds, Mapping) else thresholds for value in groups
        }
        given = {
            number: validation.objects([0 - t if lower and t is not None else t for t in each[value]])
            for value, number in groups.items()
        }
        found = self._scanned.called_positive(name, given)
        called = {value: found[number] for value, number in groups.items()}
        return called[None] if by is None else called

    def weighing(self, *, segment: Any = None, fold: Any = None) -> tuple[int, int]:
        """Count the rows of positive weight; this takes another pass, if they are weighted.

        Returns
        -------
        tuple of int
            Negatives and positives.
        """
        return self._scanned.weighing(*self._key(self.scores[0], segment, fold))

    def examples(
        self, score: str | None = None, *, segment: Any = None, fold: Any = None, max_error: float = 1e-4
    ) -> tuple[Array, Array, Array]:
        """Give weighted examples that stand for the rows, such as a calibrator is fitted to.

        Returns
        -------
        tuple of ndarray
            Scores, labels (0 and 1) and weights, one example for each class of each group of
            :meth:`tallies`. A merged group has the lowest of its scores (the highest, where low ones are
            positive).
        """
        key = self._key(score, segment, fold)
        groups = tally_of_curve(self._scanned.curve(key, max_error))
        own = 0 - groups.score if key[0] in self.lower_is_positive else groups.score
        masses = [np.asarray(mass, float) for mass in (groups.neg, groups.pos)]
        held = [mass > 0 for mass in masses]
        labels = np.repeat([0, 1], [np.count_nonzero(some) for some in held])
        return (
            np.concatenate([own[some] for some in held]), labels,
            np.concatenate([mass[some] for mass, some in zip(masses, held, strict=True)]),
        )  # fmt: skip

    def passes(
        self, scores: str | Sequence[str] | None = None, *, segment: Any = None, fold: Any = None,
        but_fold: Any = None,
    ) -> RowPasses:  # fmt: skip
        """Give the rows, to be read again by what is fitted to all of them.

        Parameters
        ----------
        scores : str or sequence of str, optional
            The columns of scores; all if not given.
        but_fold : optional
            Without the rows of this fold.

        Returns
        -------
        RowPasses
            Nothing is read before something is asked of it.
        """
        wanted = self.scores if scores is None else (scores,) if isinstance(scores, str) else tuple(scores)
        names = tuple(self._key(name)[0] for name in wanted)
        if but_fold is None:
            return RowPasses(self._scanned.table, names, (self._scanned.group(segment, fold),))
        gone, folds = self._scanned.group(None, but_fold), self._scanned.groups("fold").values()
        return RowPasses(self._scanned.table, names, tuple(number for number in folds if number != gone))

    # --- how sure, and how different between folds ------------------------------------------------

    def bootstrap(
        self,
        statistic: Any = "auc",
        score: str | None = None,
        *,
        segment: Any = None,
        fold: Any = None,
        n_resamples: int = 2000,
        level: float = 0.95,
        method: str | None = None,
        stratified: bool = True,
        max_groups: int | None = None,
        random_state: Any = None,
        progress: bool | str | Bar | None = None,
    ) -> BootstrapInterval:
        """Estimate a confidence interval of any statistic of one column, by resampling its thinned groups.

        Unlike :meth:`bootstrap_by_key` this reads no rows: replicates are drawn from the groups of the
        thinned curve, as :func:`bootstrap` draws them from many rows.

        Parameters
        ----------
        n_resamples, level, method, stratified, max_groups, random_state, progress : optional
            As for :func:`bootstrap`; groups of a thinned curve are merged to 10,000 unless stated otherwise.

        Returns
        -------
        BootstrapInterval
            Of a column that was collected whole (a few thousand rows) the same as that of its rows.

        Raises
        ------
        ValueError
            For weighted rows, whose weights the groups do not tell apart; or as for :func:`bootstrap`.

        Notes
        -----
        Where curves are thinned, neighbouring scores are one group, and a pair in it counts one half. With
        the default error that moves an area by less than 2.5e-5, and the curve by less than 1e-4.
        """
        from rochull.uncertainty import resampling
        from rochull.uncertainty.replicates import pool_of_groups

        scanned, key = self._scanned, self._key(score, segment, fold)
        if scanned.rows(key[1]).units.weighted:
            raise ValueError(
                f"{scanned.shown(key)}: the rows have weights, which groups do not tell apart; use "
                "bootstrap_by_key, or bootstrap the rows."
            )
        how = resampling.ResamplingOptions.of(
            statistic, n_resamples=n_resamples, level=level, method=method, stratified=stratified,
            random_state=random_state, progress=progress,
        )  # fmt: skip
        curve = scanned.curve(key, scanned.max_error)
        most = resampling.checked_groups(max_groups) or (_GROUPS if curve.max_error else None)
        return how.interval(pool_of_groups(tally_of_curve(curve), most))

    def bootstrap_by_key(
        self,
        statistic: Any = "auc",
        score: str | None = None,
        *,
        segment: Any = None,
        fold: Any = None,
        n_resamples: int = 1000,
        level: float = 0.95,
        method: str | None = None,
        max_groups: int = 1000,
        random_state: int = 0,
    ) -> BootstrapInterval:
        """Estimate a confidence interval by Poisson weights that every row draws from its key.

        Row i counts Poisson(1) times in replicate r, by a hash of its key, of r and of the seed. So a re-run
        and a task that is tried again give the same numbers; rows that share a key are drawn together, as a
        cluster is. Where the rows are in another order or other files, the thinned curve may keep other
        points, and the last digits (about 1e-8 of an area) differ.

        Parameters
        ----------
        n_resamples : int, default=1000
            Number of replicates; a row costs about two nanoseconds for each.
        method : {"percentile", "basic", "studentised"}, optional
            Kind of interval; if not given, that of :func:`bootstrap`.
        max_groups : int, default=1000
            Neighbouring scores are merged to so many groups, with the share of the pairs kept that each
            wins; the replicates' counts are of ``n_resamples * max_groups`` groups.
        random_state : int, default=0
            Seed: an integer, so that another machine draws the same.

        Returns
        -------
        BootstrapInterval
            Its `n_redrawn` counts replicates that lacked a class, for which further ones were drawn.

        Raises
        ------
        ValueError
            If the scan was made without `key`, or as for :func:`bootstrap`.

        References
        ----------
        Hanley & MacGibbon 2006, Creating non-parametric bootstrap samples using Poisson frequencies;
        Chamandy, Muralidharan, Najmi & Naidu 2012, Estimating uncertainty for massive data streams.
        """
        from rochull.scanning.poisson import replicates
        from rochull.uncertainty import resampling

        scanned, key = self._scanned, self._key(score, segment, fold)
        how = resampling.ResamplingOptions.of(
            statistic, n_resamples=n_resamples, level=level, method=method, stratified=False,
            random_state=random_state, progress=False,
        )  # fmt: skip
        most = resampling.checked_groups(max_groups)
        groups = tally_of_curve(scanned.curve(key, scanned.max_error))
        drawn = replicates(
            scanned.table, key, groups, most, n_resamples=n_resamples, random_state=random_state
        )
        return how.of_replicates(drawn.pool, drawn.totals, drawn.redrawn)

    def operating_point_average(
        self,
        score: str | None = None,
        operating_points: Points = None,
        measures: Measure | Sequence[Measure] = ("fpr", "tpr"),
        *,
        exact: bool = False,
    ) -> OperatingPointAverage:
        """Average the folds' performances at operating points that all of them share.

        Parameters
        ----------
        operating_points : None, int, "hull" or array-like, default=None
            All points of the thinned curve; so many of them, evenly spread; the thresholds of the hull; or
            given thresholds, which are sorted. Point 0 of the result is always "never", in addition.
        measures : measure or sequence of measures, default=("fpr", "tpr")
            As for :func:`operating_point_average`; others can still be asked for later.
        exact : bool, default=False
            Whether the folds' areas are to be exact; else they are the estimates of :meth:`auc`.

        Returns
        -------
        OperatingPointAverage
            At the same thresholds the same as that of the rows. It took one more pass.

        Raises
        ------
        ValueError
            If the scan was made without `fold`, with fewer than two of them, or one that lacks a class.
        """
        from rochull.scanning.averages import average_of

        return average_of(self._scanned, self._key(score)[0], operating_points, measures, exact)
