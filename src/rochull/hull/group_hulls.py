"""The hulls of many groups of rows at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rochull._core import validation
from rochull._core.cached import cached_property
from rochull._core.docstrings import EXAMPLES, described
from rochull._core.rows import same_rows
from rochull.hull.blocks import Blocks
from rochull.hull.hull import RocHull
from rochull.hull.tallies import UNIT

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from rochull._core.validation import Array


@dataclass(frozen=True, eq=False, repr=False)
class GroupHulls(Mapping[Any, RocHull]):
    """The ROC convex hulls of groups of rows, by group; a hull is made when it is asked for.

    Attributes
    ----------
    groups : list
        The groups, sorted where they can be.
    n_pos, n_neg : int64 ndarray of shape (g,)
        How many rows of each class they have. A group of one class has no hull.

    Examples
    --------
    >>> import rochull as rh
    >>> found = rh.roc_hulls([1, 0, 1, 0], [0.9, 0.8, 0.3, 0.4], groups=["a", "a", "b", "b"])
    >>> found["a"].auc(), found.auc().tolist()
    (1.0, [1.0, 0.5])
    >>> found
    GroupHulls(2 groups, AUC 0.5 to 1)
    """

    groups: list[Any]
    n_pos: Array
    n_neg: Array
    _begin: Array
    _columns: tuple[Array, Array, Array, Array]
    _lower_is_positive: bool

    @cached_property
    def _places(self) -> dict[Any, int]:
        return {group: place for place, group in enumerate(self.groups)}

    def __getitem__(self, group: Any) -> RocHull:
        place = self._places[group]
        rows = slice(self._begin[place], self._begin[place + 1])
        low, high, pos, neg = (column[rows] for column in self._columns)
        return RocHull.from_blocks(Blocks(low, high, pos, neg, UNIT), self._lower_is_positive)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.groups)

    def __len__(self) -> int:
        return len(self.groups)

    def __repr__(self) -> str:
        area = self.auc()
        known = area[~np.isnan(area)]
        told = f"AUC {known.min():.6g} to {known.max():.6g}" if known.size else "each of one class"
        return f"GroupHulls({len(self)} groups, {told})"

    def auc(self) -> Array:
        """Area under every hull.

        Returns
        -------
        ndarray of shape (g,)
            NaN for a group of one class.
        """
        _, _, pos, neg = self._columns
        above = np.cumsum(pos) - pos
        first = np.repeat(above[np.minimum(self._begin[:-1], above.size - 1)], np.diff(self._begin))
        twice = np.add.reduceat(neg * (2 * (above - first) + pos), self._begin[:-1])
        with np.errstate(invalid="ignore"):
            return np.asarray(twice / (2 * self.n_pos * self.n_neg))


@described(EXAMPLES)
def roc_hulls(
    y_true: ArrayLike,
    y_score: ArrayLike,
    groups: ArrayLike,
    *,
    pos_label: object = None,
    lower_is_positive: bool = False,
) -> GroupHulls:
    """Compute the ROC convex hull of every group of rows, such as those of each customer.

    One loop over all rows, whatever the number of groups. The hulls are those of :func:`roc_hull` of each
    group's rows; they hold no raw curves.

    Parameters
    ----------
    groups : array-like of shape (n,)
        The group of each row: text, numbers, or anything that can be compared.

    Returns
    -------
    GroupHulls
        The hulls by group, and the areas of all.

    References
    ----------
    Fawcett & Niculescu-Mizil 2007, Theorem 1.

    Examples
    --------
    >>> import rochull as rh
    >>> found = rh.roc_hulls([1, 0, 1, 0], [0.9, 0.8, 0.3, 0.4], groups=[7, 7, 8, 8])
    >>> {group: hull.auc() for group, hull in found.items()}
    {7: 1.0, 8: 0.5}
    """
    from rochull._core.kernels import group_hulls as kernels

    data = validation.labelled(y_true, y_score, None, pos_label, lower_is_positive=lower_is_positive)
    codes, values = validation.codes_1d(groups, "groups")
    same_rows(y_true=y_true, groups=groups)
    positive = np.equal(data.positive, 1)
    rows = np.bincount(codes, minlength=len(values))
    begin = np.concatenate(([0], np.cumsum(rows)))
    scores = data.scores + 0 if data.scores.dtype.kind == "f" else data.scores  # -0.0 becomes 0.0
    blocks, n_pos, *columns = kernels.hulls_of_groups(scores, positive, codes, begin)
    low, high, pos, neg = columns
    return GroupHulls(values, n_pos, rows - n_pos, blocks, (low, high, pos, neg), data.lower_is_positive)
