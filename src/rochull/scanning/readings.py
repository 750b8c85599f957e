# long: everything that is read off a scan, mostly docstrings
"""What is read off a scan: hulls, thinned curves, areas, tallies; resampling and averages from those."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from rochull._core import validation
from rochull._core.threads import Bar
from rochull._core.validation import Array
from rochull.hull.blocks import Blocks, pool
from rochull.hull.curve import RocCurve
from rochull.hull.hull import RocHull
from rochull.hull.refine import CHANGED
from rochull.hull.tallies import Tally
from rochull.scanning.areas import AreaBound
from rochull.scanning.column import Scanned
from rochull.scanning.engines.table import Column, Table
from rochull.scanning.tasks import WeighingRows, complete, only

if TYPE_CHECKING:
    from rochull.averaging.fold_measures import Measure
    from rochull.averaging.fold_rows import Points
    from rochull.averaging.roc_average import OperatingPointAverage
    from rochull.uncertainty.resampling import BootstrapInterval

_GROUPS = 10_000  # of a thinned curve, from which replicates are drawn


@dataclass(frozen=True, eq=False)
class Reading:
    """What is read off one column of scores in one group of rows, which has both classes.

    Attributes
    ----------
    blocks : Blocks
        The PAV blocks, exactly.
    curve : RocCurve
        The raw curve, as fine as it was scanned for.
    area : AreaBound
        The area under the raw curve.
    rows : tuple of int
        Negatives and positives.
    """

    blocks: Blocks
    curve: RocCurve
    area: AreaBound
    rows: tuple[int, int]


class Readings(ABC):
    """What two passes over a table tell of all its columns of scores, per segment and per fold.

    Values are dictionaries: by the name of the scores, or by the segment (or fold) and then that.
    """

    _table: Table
    _max_error: float
    _segment: str | None = None  # the name of the column of segments, if the engine's table came from one

    @abstractmethod
    def _columns(self, max_error: float | None = None) -> dict[Column, Scanned]:
        """Everything, by (score, group), with curves of at most this error; it may read the table."""

    @property
    def scores(self) -> tuple[str, ...]:
        """The names of the columns of scores (tuple of str)."""
        return self._table.scores

    # --- which column ----------------------------------------------------------------------------

    def _by(self, by: str | None) -> list[tuple[Any, int]]:
        """Values and numbers of the groups of a kind."""
        kind = "all" if by is None else by
        if kind not in ("all", "segment", "fold"):
            raise ValueError(f"by must be None, 'segment' or 'fold', but is {by!r}.")
        chosen = [(group.value, i) for i, group in enumerate(self._table.groups) if group.kind == kind]
        if not chosen:
            raise ValueError(f"by={by!r}: the scan was made without {kind}.")
        return chosen

    def _each(self, by: str | None, read: Callable[[str, int], Any]) -> dict[Any, Any]:
        """What is read off every column: by score, or by group and score."""
        found = {value: {name: read(name, group) for name in self.scores} for value, group in self._by(by)}
        return found[None] if by is None else found

    def _group(self, segment: Any = None, fold: Any = None) -> int:
        """The number of the group of a segment or of a fold; that of all rows if neither is given."""
        if segment is not None and fold is not None:
            raise ValueError("segment and fold: a scan has no folds of its segments; give one of them.")
        for what, value in (("segment", segment), ("fold", fold)):
            if value is not None:
                return int(only(dict(self._by(what)), value, what))
        return 0

    def _score(self, score: str | None) -> str:
        """The name of the only column of scores, or of the given one."""
        if score is None and len(self.scores) == 1:
            return self.scores[0]
        return str(only({name: name for name in self.scores}, score, "score"))

    def _where(self, key: Column) -> str:
        return f"score column {key[0]!r}, {self._table.groups[key[1]]}"

    def _both_classes(self, key: Column) -> Scanned:
        """What was found of a column; an error if it lacks a class."""
        found = self._columns()[key]
        if not found.n_pos or not found.n_neg:
            which = "positive" if found.n_pos else "negative"
            raise ValueError(f"{self._where(key)}: blocks hold one class only: all examples are {which}.")
        return found

    # --- hulls, curves, areas -------------------------------------------------------------------

    def roc_hulls(self, by: str | None = None) -> dict[Any, Any]:
        """Give the hull of every column of scores, exactly.

        Parameters
        ----------
        by : {"segment", "fold"}, optional
            Of all rows if not given.

        Returns
        -------
        dict
            The hulls by score, or by group and score; the same as :func:`roc_hull` makes of the rows.

        Raises
        ------
        ValueError
            If a group lacks a class, or the scan was made without that kind of group.

        Examples
        --------
        >>> import rochull as rh
        >>> table = rh.datasets.load("german_credit_scores")
        >>> scan = rh.scan(table, label="class", scores=["knn", "boosted"], fold="fold", pos_label="bad")
        >>> scan.roc_hulls()["boosted"].auc() > scan.roc_hulls()["knn"].auc()
        True
        >>> len(scan.roc_hulls(by="fold"))
        10
        """
        return self._each(
            by, lambda name, group: RocHull.from_blocks(self._both_classes((name, group)).blocks)
        )

    def blocks(self, by: str | None = None) -> dict[Any, Any]:
        """Give the PAV blocks of every column of scores; unlike hulls, those of one class too.

        Parameters
        ----------
        by : {"segment", "fold"}, optional
            Of all rows if not given.

        Returns
        -------
        dict
            :class:`Blocks` by score, or by group and score.

        Raises
        ------
        ValueError
            If the scan was made without that kind of group.
        """

        def read(name: str, group: int) -> Blocks:
            return self._columns()[name, group].blocks

        return self._each(by, read)

    def roc_curves(self, max_error: float = 1e-4, by: str | None = None) -> dict[Any, Any]:
        """Give the raw curve of every column of scores, thinned.

        Parameters
        ----------
        max_error : float, default=1e-4
            How far, in either rate, a dropped point may be from a kept one. A finer curve than was scanned
            for takes another scan; 0 gives complete curves, as far as their rows may be held in memory.
        by : {"segment", "fold"}, optional
            Of all rows if not given.

        Returns
        -------
        dict
            :class:`RocCurve` by score, or by group and score. Of a few thousand rows it is complete, unless
            `max_error` is coarser than what was scanned for.

        Raises
        ------
        ValueError
            If a group lacks a class, `max_error` is not in [0, 1), or there are no such groups.
        MemoryError
            If a complete curve has more rows than may be collected.

        Examples
        --------
        >>> import rochull as rh
        >>> table = rh.datasets.load("german_credit_scores")
        >>> scan = rh.scan(table, label="class", scores=["boosted"], pos_label="bad")
        >>> len(scan.roc_curves(max_error=0.05)["boosted"])
        41
        """
        return self._each(by, lambda *key: self._curve(key, max_error))

    def _curve(self, key: Column, max_error: float) -> RocCurve:
        """The curve of a column within an error; of a column of both classes."""
        error = max_error and validation.probability(max_error, "max_error", open_ends=True)
        self._both_classes(key)
        held = self._columns(error or None)[key].curve
        if not error and held.max_error:
            return RocCurve.from_tally(self._complete([key])[key])
        arrays = {name: getattr(held, name).copy() for name in ("score", "tp_units", "fp_units")}
        held = replace(held, **arrays)  # the caller's own: what is held answers later questions
        if not error:
            return held
        room = error - held.max_error
        while held.max_error + room > error:
            room = float(np.nextafter(room, 0))
        # What is complete or as fine as the scan is not made coarser than it was asked for.
        return held.thin(room) if error > self._max_error and room > 0 else held

    def _complete(self, keys: Sequence[Column]) -> dict[Column, Tally]:
        """All groups of equal score of some columns, as they were when they were scanned."""
        found = complete(self._table, keys)
        for key, groups in found.items():
            blocks, held = pool(groups), self._columns()[key].blocks
            for name in ("low", "high", "pos_units", "neg_units"):
                if not np.array_equal(getattr(blocks, name), getattr(held, name)):
                    raise RuntimeError(CHANGED)
        return found

    def tallies(self, max_error: float = 1e-4, by: str | None = None) -> dict[Any, Any]:
        """Give the groups that lie between the points of the thinned curves.

        What is computed from groups of equal score (a bootstrap, a calibration by a parametric curve,
        moments) can be computed from these, to within what `max_error` leaves open.

        Parameters
        ----------
        max_error : float, default=1e-4
            As for :meth:`roc_curves`; 0 gives all groups.
        by : {"segment", "fold"}, optional
            Of all rows if not given.

        Returns
        -------
        dict
            :class:`Tally` by score, or by group and score. A merged group has the lowest of its scores.

        Raises
        ------
        ValueError
            As for :meth:`roc_curves`.
        MemoryError
            If all groups are asked for and are more than may be collected.

        Examples
        --------
        >>> import rochull as rh
        >>> scan = rh.scan({"y": [0, 0, 1, 1], "a": [0.1, 0.4, 0.35, 0.8]}, label="y", scores="a")
        >>> scan.tallies()["a"].score.tolist()
        [0.8, 0.4, 0.35, 0.1]
        """
        return self._each(by, lambda *key: tally_of_curve(self._curve(key, max_error)))

    def auc(self, by: str | None = None, exact: bool = False) -> dict[Any, Any]:
        """Give the area under every raw curve, with certified bounds.

        Parameters
        ----------
        by : {"segment", "fold"}, optional
            Of all rows if not given.
        exact : bool, default=False
            Find the order of all rows, where the bounds do not meet; this takes another pass.

        Returns
        -------
        dict
            :class:`AreaBound` by score, or by group and score; ``float`` makes a number of it.

        Raises
        ------
        ValueError
            If a group lacks a class, or the scan was made without that kind of group.

        Notes
        -----
        Buckets in which the hull has no vertex were never looked into; the order of their rows is not
        known. That leaves half of the share of the pairs open that lie together in such a bucket.

        Examples
        --------
        >>> import rochull as rh
        >>> table = rh.datasets.load("german_credit_scores")
        >>> scan = rh.scan(table, label="class", scores=["knn", "boosted"], pos_label="bad")
        >>> {name: round(float(area), 3) for name, area in scan.auc().items()}
        {'knn': 0.759, 'boosted': 0.776}
        """
        found = self._each(by, lambda *key: self._area(key))
        if not exact:
            return found
        keys = [(name, group) for _, group in self._by(by) for name in self.scores]
        open_keys = [key for key in keys if not self._area(key).exact]
        if open_keys:
            answers = self._table.exact_areas(open_keys)
            for key, (twice, n_pos, n_neg) in answers.items():
                held = self._columns()[key]
                at_least, _, at_most = held.twice_area
                if not at_least <= twice <= at_most or (n_pos, n_neg) != (held.n_pos, held.n_neg):
                    raise RuntimeError(CHANGED)
                self._areas[key] = AreaBound.of((twice, twice, twice), n_pos, n_neg)
        return self._each(by, lambda *key: self._area(key))

    @cached_property
    def _areas(self) -> dict[Column, AreaBound]:
        """The areas that are known."""
        return {}

    def _area(self, key: Column) -> AreaBound:
        if key not in self._areas:
            found = self._both_classes(key)
            self._areas[key] = AreaBound.of(found.twice_area, found.n_pos, found.n_neg)
        return self._areas[key]

    def reading(self, score: str | None = None, *, segment: Any = None, fold: Any = None) -> Reading:
        """Give what is known of one column.

        Parameters
        ----------
        score : str, optional
            The column of scores; not needed where there is one.
        segment, fold : optional
            Of the rows of this segment, or of this fold; of all if not given.

        Returns
        -------
        Reading
            Its blocks, its thinned curve and its area.

        Raises
        ------
        ValueError
            If there is no such column or group, or it lacks a class.

        Examples
        --------
        >>> import rochull as rh
        >>> table = rh.datasets.load("german_credit_scores")
        >>> scan = rh.scan(table, label="class", scores=["boosted"], fold="fold", pos_label="bad")
        >>> scan.reading("boosted", fold=3).rows
        (70, 30)
        """
        key = self._score(score), self._group(segment, fold)
        found, group = self._both_classes(key), self._table.groups[key[1]]
        return Reading(found.blocks, found.curve, self._area(key), (group.n_neg, group.n_pos))

    # --- rows -------------------------------------------------------------------------------------

    def counts(self, by: str | None = None) -> Any:
        """Count the rows.

        Parameters
        ----------
        by : {"segment", "fold"}, optional
            Of all rows if not given.

        Returns
        -------
        tuple of int, or dict of tuples
            Negatives and positives; by group if `by` is given. Rows of no weight count too.

        Raises
        ------
        ValueError
            If the scan was made without that kind of group.

        Examples
        --------
        >>> import rochull as rh
        >>> table = rh.datasets.load("german_credit_scores")
        >>> rh.scan(table, label="class", scores="knn", pos_label="bad").counts()
        (700, 300)
        """
        groups = self._table.groups
        found = {value: (groups[i].n_neg, groups[i].n_pos) for value, i in self._by(by)}
        return found[None] if by is None else found

    def tally(
        self, score: str | None = None, *, segment: Any = None, fold: Any = None, max_error: float = 1e-4
    ) -> Tally:
        """Give the groups of one column, as :meth:`tallies` does of all; of one class too.

        Parameters
        ----------
        score : str, optional
            The column of scores; not needed where there is one.
        segment, fold : optional
            Of the rows of this segment, or of this fold; of all if not given.
        max_error : float, default=1e-4
            As for :meth:`roc_curves`; 0 gives all groups, in another pass unless they are few.

        Returns
        -------
        Tally
            Groups of neighbouring scores. A merged group has the lowest of them.

        Raises
        ------
        ValueError
            If there is no such column or group.
        MemoryError
            If all groups are asked for and are more than may be collected.
        """
        key = self._score(score), self._group(segment, fold)
        found = self._columns()[key]
        if found.n_pos and found.n_neg:
            return tally_of_curve(self._curve(key, max_error))
        if max_error == 0 and found.curve.max_error:
            return self._complete([key])[key]
        return tally_of_curve(found.curve)

    @property
    def segment_column(self) -> str | None:
        """The name of the column that divides the rows into segments (str, or None if there is none)."""
        return self._segment

    def weighing(self, *, segment: Any = None, fold: Any = None) -> tuple[int, int]:
        """Count the rows of positive weight; this takes another pass, if they are weighted.

        Parameters
        ----------
        segment, fold : optional
            Of the rows of this segment, or of this fold; of all if not given.

        Returns
        -------
        tuple of int
            Negatives and positives.
        """
        group = self._group(segment, fold)
        found = self._table.groups[group]
        if not found.units.weighted:
            return found.n_neg, found.n_pos
        key = (self.scores[0], group)
        neg, pos = self._table.answer({key: [WeighingRows()]})[key][0].tolist()
        return neg, pos

    def examples(
        self, score: str | None = None, *, segment: Any = None, fold: Any = None, max_error: float = 1e-4
    ) -> tuple[Array, Array, Array]:
        """Give weighted examples that stand for the rows, such as a calibrator is fitted to.

        Parameters
        ----------
        score : str, optional
            The column of scores; not needed where there is one.
        segment, fold : optional
            Of the rows of this segment, or of this fold; of all if not given.
        max_error : float, default=1e-4
            As for :meth:`roc_curves`; 0 gives all distinct scores.

        Returns
        -------
        tuple of ndarray
            Scores, labels (0 and 1) and weights, one example for each class of each group of
            :meth:`tallies`. A merged group has the lowest of its scores.

        Raises
        ------
        ValueError
            As for :meth:`roc_curves`, or if there is no such column or group.

        Examples
        --------
        >>> import rochull as rh
        >>> scan = rh.scan(
        ...     rh.datasets.load("german_credit_scores"), label="class", scores=["boosted"], pos_label="bad"
        ... )
        >>> scores, labels, weights = scan.examples("boosted")
        >>> calibrator = rh.LogisticCalibrator().fit(scores, labels, sample_weight=weights)
        >>> calibrator.slope_ > 0
        True
        """
        key = self._score(score), self._group(segment, fold)
        groups = tally_of_curve(self._curve(key, max_error))
        masses = [np.asarray(mass, float) for mass in (groups.neg, groups.pos)]
        held = [mass > 0 for mass in masses]
        labels = np.repeat([0, 1], [np.count_nonzero(some) for some in held])
        return (
            np.concatenate([groups.score[some] for some in held]), labels,
            np.concatenate([mass[some] for mass, some in zip(masses, held, strict=True)]),
        )  # fmt: skip

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
        method: str = "percentile",
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
        statistic : str or callable, default="auc"
            As for :func:`bootstrap`, of one classifier.
        score : str, optional
            The column of scores; not needed where there is one.
        segment, fold : optional
            Of the rows of this segment, or of this fold; of all if not given.
        n_resamples, level, method, stratified, max_groups, random_state, progress : optional
            As for :func:`bootstrap`; groups of a thinned curve are merged to 10,000 if not told otherwise.

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

        Examples
        --------
        >>> import rochull as rh
        >>> scan = rh.scan(
        ...     rh.datasets.load("german_credit_scores"), label="class", scores=["boosted"], pos_label="bad"
        ... )
        >>> found = scan.bootstrap("auc", random_state=0)
        >>> round(found.low, 2), round(found.high, 2)
        (0.74, 0.81)
        """
        from rochull.uncertainty import resampling
        from rochull.uncertainty.replicates import pool_of_groups

        key = self._score(score), self._group(segment, fold)
        if self._table.groups[key[1]].units.weighted:
            raise ValueError(
                f"{self._where(key)}: the rows have weights, which groups do not tell apart; use "
                "bootstrap_by_key, or bootstrap the rows."
            )
        how = resampling.How.of(
            statistic, n_resamples=n_resamples, level=level, method=method, stratified=stratified,
            random_state=random_state, progress=progress,
        )  # fmt: skip
        curve = self._curve(key, self._max_error)
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
        method: str = "percentile",
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
        statistic : str or callable, default="auc"
            As for :func:`bootstrap`, of one classifier.
        score : str, optional
            The column of scores; not needed where there is one.
        segment, fold : optional
            Of the rows of this segment, or of this fold; of all if not given.
        n_resamples : int, default=1000
            Number of replicates; a row costs about two nanoseconds for each.
        level : float, default=0.95
            Nominal coverage.
        method : {"percentile", "basic"}, default="percentile"
            Kind of interval.
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

        Examples
        --------
        >>> import numpy as np
        >>> import rochull as rh
        >>> table = {**rh.datasets.load("german_credit_scores"), "id": np.arange(1000)}
        >>> scan = rh.scan(table, label="class", scores=["boosted"], key="id", pos_label="bad")
        >>> found = scan.bootstrap_by_key("auc")
        >>> round(found.low, 2), round(found.high, 2)
        (0.75, 0.81)
        """
        from rochull.scanning.poisson import replicates
        from rochull.uncertainty import resampling

        key = self._score(score), self._group(segment, fold)
        how = resampling.How.of(
            statistic, n_resamples=n_resamples, level=level, method=method, stratified=False,
            random_state=random_state, progress=False,
        )  # fmt: skip
        most = resampling.checked_groups(max_groups)
        groups = tally_of_curve(self._curve(key, self._max_error))
        drawn = replicates(self._table, key, groups, most, n_resamples=n_resamples, random_state=random_state)
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
        score : str, optional
            The column of scores; not needed where there is one.
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

        References
        ----------
        Paclík, Lai, Novovičová & Duin 2008, Algorithm 1.

        Examples
        --------
        >>> import rochull as rh
        >>> table = rh.datasets.load("german_credit_scores")
        >>> scan = rh.scan(table, label="class", scores=["logistic"], fold="fold", pos_label="bad")
        >>> average = scan.operating_point_average("logistic", operating_points=30)
        >>> average
        OperatingPointAverage(31 points, 10 folds, operating points)
        """
        from rochull.scanning.averages import average_of

        return average_of(self, self._score(score), operating_points, measures, exact)

    @cached_property
    def _token(self) -> bytes:
        """What tells the folds of this scan from those of another."""
        return os.urandom(16)


def tally_of_curve(curve: RocCurve) -> Tally:
    """The groups between the points of a curve."""
    return Tally(curve.score, np.diff(curve.tp_units), np.diff(curve.fp_units), curve.units)
