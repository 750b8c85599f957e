"""Several named classifiers in one estimator: their parameters, and who is trained with which keywords."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import fields
from functools import partial
from typing import TYPE_CHECKING, Any, Self

from numpy.typing import ArrayLike
from sklearn import get_config
from sklearn.base import ClassifierMixin, MetaEstimatorMixin
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.metaestimators import _BaseComposition
from sklearn.utils.validation import validate_data

from rochull._core.responses import SCORES, positive_scores
from rochull._core.rotation import Rotation, groups_for, splits_of
from rochull._core.rows import refuse_other_order
from rochull._core.validation import Array
from rochull._core.warned import warn
from rochull.conditions.base import Condition
from rochull.estimators.conditions import Deciding
from rochull.estimators.out_of_fold import check_response, weights_of
from rochull.estimators.training import (
    Training,
    check_tested,
    read_templates,
    rows_of,
    weights_for,
)

if TYPE_CHECKING:
    from rochull._core.rotation import Split


class NamedEstimators(Deciding, ClassifierMixin, MetaEstimatorMixin, _BaseComposition):
    """Base of a classifier that holds several others by name, of which each is scored out of fold."""

    estimators: Any
    condition: Condition | None
    cv: Any
    n_jobs: int | None
    response_method: str
    _pairs = "estimators"  # where names and classifiers are

    def _start(self, X: Any, y: ArrayLike) -> tuple[Any, Array]:
        """Check the labels, and set `classes_` and `pos_label_`; of other labels the second is positive."""
        X, labels = super()._start(X, y)
        if self.pos_label_ is None and len(self.classes_) == 2:
            self.pos_label_ = self.classes_[1]
            warn(
                f"pos_label is not given, so {self.classes_.tolist()[1]!r} is the positive class (the second "
                "of the sorted labels, as in scikit-learn), for costs and limits too."
            )
        return X, labels

    @property
    def _own(self) -> Any:
        """Names and classifiers, as they were given."""
        return getattr(self, self._pairs)

    def _prepared(
        self, X: Any, y: ArrayLike, sample_weight: Any, params: dict[str, Any]
    ) -> tuple[dict[str, Any], Training]:
        """The classifiers, and how they are trained; labels, weights and folds are kept."""
        templates = self._templates()
        refuse_other_order({"X": X, "y": y, "sample_weight": sample_weight})
        X, labels = self._start(X, y)
        if self.condition is not None:
            self._check_asked(self.condition)
        validate_data(self, X, skip_check_array=True)
        training, weights, to_splitter = self._passed(X, labels, sample_weight, params)
        given = (p["sample_weight"] for p in training.params.values() if "sample_weight" in p)
        splits = self._splits(X, labels, to_splitter, next(given, None))
        rows = rows_of(splits)
        check_tested(labels, weights, rows)
        self.splits_, self.out_of_fold_rows_ = splits, rows
        self._weights, self._labels = weights, labels
        return templates, training

    def _splits(
        self, X: Any, labels: Array, to_splitter: dict[str, Any], weight: Array | None
    ) -> list[Split]:
        """The folds; `weight` is what the classifiers are trained with."""
        return splits_of(self.cv, X, labels, to_splitter, weight)

    def _held_out(self) -> tuple[Array, Array | None]:
        """Whether the rows that were scored out of fold are positive (m,), and their weights."""
        rows, weights = self.out_of_fold_rows_, self._weights
        positive: Array = self._labels[rows] == self.classes_[self._positive]
        return positive, None if weights is None else weights[rows]

    def _templates(self) -> dict[str, Any]:
        """The classifiers by name, and the other parameters checked."""
        templates = read_templates(self._own)
        self._validate_names([name for name, _ in self._own])
        check_response(self.response_method)
        if isinstance(self.cv, str):
            raise ValueError(
                f"cv must be a number of folds, a splitter or its splits, but is {self.cv!r}; "
                "FrozenEstimator wraps a classifier that is trained already."
            )
        return templates

    def _passed(
        self, X: Any, labels: Array, sample_weight: Any, params: dict[str, Any], told: Collection[str] = ()
    ) -> tuple[Training, Array | None, dict[str, Any]]:
        """The trainings, the weights of the hull, and keywords for the splitter.

        Those that `told` lists have been named before as taking no weights.
        """
        weights = weights_of(sample_weight, labels)
        names = read_templates(self._own)
        if get_config().get("enable_metadata_routing"):
            if weights is not None:
                params = {**params, "sample_weight": weights}
            routed = process_routing(self, "fit", **params)
            own = {name: dict(routed[name]["fit"]) for name in names}
            splitter = dict(routed["cv"]["split"])
            if self._get_metadata_request().fit.requests.get("sample_weight") is False:
                weights = None
            for given in own.values():
                if given.get("sample_weight") is not None:
                    given["sample_weight"] = weights_of(given["sample_weight"], labels)
        else:
            splitter = self._for_splitter(params)
            own = {} if weights is None else weights_for(names, weights, told)
        return Training(Rotation(X, labels, self._scorer(), self.n_jobs), own), weights, splitter

    def _for_splitter(self, params: dict[str, Any]) -> dict[str, Any]:
        """Keywords for the splitter, without metadata routing."""
        others = [name for name in params if name != "groups"]
        if others:
            raise ValueError(
                f"{', '.join(others)}: only sample_weight and groups are passed on without scikit-learn's "
                "metadata routing."
            )
        return groups_for(self.cv, params.get("groups"))

    def _scorer(self) -> Any:
        """The function that gives scores (n,) of a fitted classifier."""
        names = (*SCORES, "predict") if self.response_method == "auto" else (self.response_method,)
        return partial(positive_scores, methods=names, classes=self.classes_, positive=self._positive)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Get the parameters, and those of the classifiers by name.

        Parameters
        ----------
        deep : bool, default=True
            Include the classifiers, and their parameters as ``name__parameter``.

        Returns
        -------
        dict of str to object
            Values by name.
        """
        return dict(self._get_params(self._pairs, deep=deep))

    def set_params(self, **params: Any) -> Self:
        """Set parameters, also those of the classifiers.

        Parameters
        ----------
        **params : dict
            A parameter; a classifier by its name ("drop" leaves it out); ``name__parameter``.

        Returns
        -------
        self
            Fit it again for them to have an effect.
        """
        self._set_params(self._pairs, **params)
        return self

    def get_metadata_routing(self) -> MetadataRouter:
        router = MetadataRouter(owner=self).add_self_request(self)
        for name, template in read_templates(self._own).items():
            router.add(**{name: template}, method_mapping=MethodMapping().add(caller="fit", callee="fit"))
        return router.add(cv=self.cv, method_mapping=MethodMapping().add(caller="fit", callee="split"))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        try:
            inner = [get_tags(template).input_tags for template in read_templates(self._own).values()]
        except ValueError:  # said in `fit`
            return tags
        for part in fields(tags.input_tags):
            among = any if part.name in ("pairwise", "positive_only") else all
            setattr(tags.input_tags, part.name, among(getattr(one, part.name) for one in inner))
        return tags
