"""Examples that are kept back, so that a stated confidence is one in the classifiers that decide.

A threshold from scores of classifiers that are then trained again on more examples promises nothing of
these: the scale of scores may depend on how many there are.
"""

from __future__ import annotations

import numbers
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from sklearn.frozen import FrozenEstimator

from rochull._core.messages import refused
from rochull._core.rotation import splits_of, stratified
from rochull._core.validation import Array
from rochull.conditions.question import Question
from rochull.conditions.vertices import InfeasibleConditionError
from rochull.estimators.named import NamedEstimators
from rochull.estimators.training import Training
from rochull.hull.ways import Assured, way_of

if TYPE_CHECKING:
    from rochull._core.rotation import Split


class KeepsBack(NamedEstimators):
    """Base of a classifier of several that keeps examples back where its condition states a confidence."""

    _kept: dict[str, Any]  # what was trained on the one split; empty where all are trained again

    @property
    def _is_assured(self) -> bool:
        """Whether the range has a stated confidence."""
        asked = self.condition
        return asked is not None and isinstance(way_of(asked.question, deterministic=True), Assured)

    @property
    def _is_frozen(self) -> bool:
        """Whether all classifiers are trained already, so that the folds have the scores of what decides."""
        return all(isinstance(one, FrozenEstimator) for one in self._templates().values())

    @property
    def _holds_back(self) -> bool:
        """Whether what decides has not seen the examples that set its thresholds."""
        return self._is_assured and not self._is_frozen

    def _splits(
        self, X: Any, labels: Array, to_splitter: dict[str, Any], weight: Array | None
    ) -> list[Split]:
        """The folds; one alone where what is trained in it is to decide."""
        if not self._holds_back:
            return super()._splits(X, labels, to_splitter, weight)
        cv = self.cv
        if isinstance(cv, numbers.Integral):  # in no order of the rows
            cv = stratified(labels == self.classes_[1], int(cv), random_state=0)
        return splits_of(cv, X, labels, to_splitter, weight)[:1]

    def _deployed(self, training: Training, templates: dict[str, Any]) -> dict[str, Any]:
        """The classifiers that decide: of the one split, or trained on all examples."""
        return {name: self._kept[name] for name in templates} if self._kept else training.fitted(templates)

    def _feasible(self, found: Callable[[], list[str]]) -> list[str]:
        """The classifiers that are needed; if none keeps the limits, how few examples were kept back."""
        try:
            return found()
        except InfeasibleConditionError as error:
            if not self._kept:
                raise
            kept = self.out_of_fold_rows_.size
            why = "{} (These are among the {} examples that were kept back; cv=2 keeps back half.)"
            raise InfeasibleConditionError(why, error, kept) from error

    def _require_kept(self, question: Question) -> None:
        """Raise for a confidence in thresholds that were set by scores of other classifiers."""
        if not (self._is_assured or self._is_frozen):
            question.refuse(
                confidence=refused(
                    "confidence",
                    "cannot be promised: the thresholds are those of classifiers that were trained again on "
                    "all examples; fit with a condition that states a confidence, which keeps a part back.",
                )
            )
