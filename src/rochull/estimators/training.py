"""Several named classifiers, trained and scored on the same examples."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.frozen import FrozenEstimator
from sklearn.utils import _safe_indexing, column_or_1d
from sklearn.utils.validation import _num_samples, has_fit_parameter

from rochull._core.rotation import Rotation, held_out_rows
from rochull._core.validation import Array
from rochull._core.warned import warn

if TYPE_CHECKING:
    from rochull._core.rotation import Split

_GLIMPSE = 8


@dataclass(frozen=True, eq=False)
class Training:
    """A rotation of several classifiers, and keywords for the `fit` of each, by name."""

    rotation: Rotation
    params: Mapping[str, dict[str, Any]]

    def out_of_fold(
        self, templates: Mapping[str, Any], splits: list[Split], *, keep: bool = False
    ) -> tuple[dict[str, Array], dict[str, Any]]:
        """Scores (m,) of every classifier, in the order of :func:`rows_of`.

        With `keep`, of a single split, the trained classifiers beside them.
        """
        found = self.rotation.held_out([*templates.values()], self._of(templates), splits, keep=keep)
        order = np.argsort(held_out_rows(splits), kind="stable")
        scores = {
            name: np.concatenate([scores for _, scores in parts])[order]
            for name, parts in zip(templates, found, strict=True)
        }
        kept = {name: parts[0][0] for name, parts in zip(templates, found, strict=True)} if keep else {}
        return scores, kept

    def fitted(self, templates: Mapping[str, Any]) -> dict[str, Any]:
        """A clone of each, trained on all examples."""
        found = self.rotation.fitted([*templates.values()], self._of(templates))
        return dict(zip(templates, found, strict=True))

    def _of(self, templates: Mapping[str, Any]) -> list[dict[str, Any]]:
        return [self.params.get(name, {}) for name in templates]


def rows_of(splits: list[Split]) -> Array:
    """The rows (m,) that are scored: ascending, and as often as a test part holds them."""
    return np.sort(held_out_rows(splits))


def repeats_in(rows: Array) -> int:
    """How many of the scored rows, which ascend, were scored before."""
    return int(np.count_nonzero(rows[1:] == rows[:-1]))


def check_tested(labels: Array, weights: Array | None, rows: Array) -> None:
    """Raise unless the test parts hold both classes, by weight."""
    counted = rows if weights is None else rows[weights[rows] > 0]
    if np.unique(labels[counted]).size < 2:
        held = "one class only" if weights is None else "no sample_weight for one class"
        raise ValueError(f"cv: the test parts hold {held}.")


def takes_groups(cv: Any) -> bool:
    """Whether a splitter wants groups."""
    if not hasattr(cv, "get_metadata_routing"):
        return False
    split = getattr(cv.get_metadata_routing(), "split", None)
    return split is not None and split.requests.get("groups") is True


def weights_for(
    templates: Mapping[str, Any], weights: Array, told: Collection[str] = ()
) -> dict[str, dict[str, Any]]:
    """Keywords for the `fit` of each classifier: the weights where it takes them; a warning names others.

    Those in `told` have been named before, and a frozen classifier is not trained at all.
    """
    takes = [name for name, template in templates.items() if has_fit_parameter(template, "sample_weight")]
    others = [
        name
        for name, template in templates.items()
        if name not in takes and name not in told and not isinstance(template, FrozenEstimator)
    ]
    if others:
        warn(
            f"sample_weight: the fit of {', '.join(others)} takes none, so that only the hull uses the "
            "weights there. (Metadata routing can send them to a step of a pipeline.)"
        )
    return {name: {"sample_weight": weights} for name in takes}


def read_templates(estimators: Any) -> dict[str, Any]:
    """The classifiers by name, without those that are dropped."""
    if not isinstance(estimators, (list, tuple)) or not estimators:
        raise ValueError(
            f"estimators must be a list of (name, estimator) with at least one, but is {estimators!r}."
        )
    for item in estimators:
        if not isinstance(item, (list, tuple)) or len(item) != 2 or not isinstance(item[0], str):
            raise ValueError(f"estimators must hold pairs (name, estimator), but one is {item!r}.")
    templates = {name: template for name, template in estimators if not is_dropped(template)}
    if not templates:
        raise ValueError("estimators: all of them are dropped; at least one is needed.")
    for name, template in templates.items():
        if not name:
            raise ValueError("estimators: a name must not be empty.")
        if isinstance(template, type) or not hasattr(template, "fit"):
            raise ValueError(f"estimators: {name!r} must be a classifier, but is {template!r}.")
    return templates


def is_dropped(template: Any) -> bool:
    """Whether a place in the list is empty, as in scikit-learn's ensembles."""
    return isinstance(template, str) and template == "drop"


def labels_in(y: Any, classes: Array) -> Array:
    """Labels (n,) of other examples, which must be of both classes."""
    labels = column_or_1d(y, warn=True)
    strange = labels[~np.isin(labels, classes)]
    if strange.size:
        raise ValueError(
            f"y holds {strange.tolist()[0]!r}, but the classes are {', '.join(map(repr, classes.tolist()))}."
        )
    if np.unique(labels).size < 2:
        raise ValueError(f"y has one class only: all {labels.size} labels are {labels.tolist()[0]!r}.")
    return np.asarray(labels)


def glimpse(X: Any) -> str:
    """The first rows of some examples as text, to know them again."""
    rows = _safe_indexing(X, np.arange(min(_GLIMPSE, _num_samples(X))))
    return repr(np.asarray(rows.toarray() if hasattr(rows, "toarray") else rows))


def share_of(positive: Array, weights: Array | None) -> float:
    """The proportion of positives, by weight."""
    return float(np.average(positive, weights=weights))
