"""Which model of error redistribution: by the area under the held-out curves of a cross-validation."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rochull._core import validation
from rochull._core.messages import Refusal, Setting, refused
from rochull._core.rotation import possible_folds
from rochull._core.validation import Array, Labelled
from rochull.decisions.axes import UNSEEN, Column
from rochull.hull.refine import area_of
from rochull.hull.tallies import tally_of
from rochull.segments.bins import fit_bins
from rochull.segments.models.base import FixedModel, PavModel, SegmentedScores, SegmentModel

MODELS = ("pav", "gaussian", "equal-variance", "logistic", "fixed")  # the candidates of "auto"
_ORDINAL = ("pav", "fixed")  # they look at the order of the scores alone
BASELINES = ("constant-fpr", "constant-tpr")
_SHRINKAGES = (0.0, 30.0, 100.0, 300.0, 1000.0, math.inf)
_MOST_TRIED = 200_000  # examples of a cross-validation: the choice does not get better by more


@dataclass(frozen=True)
class Candidate:
    """A model with its settings."""

    name: str
    n_bins: int
    shrinkage: float = 0.0

    def model(self) -> SegmentModel:
        """A new one, not fitted."""
        from rochull.segments.models.baselines import ConstantFprModel, ConstantTprModel
        from rochull.segments.models.gaussian import EqualVarianceModel, GaussianModel
        from rochull.segments.models.logistic import LogisticModel

        if self.name == "pav":
            return PavModel(self.shrinkage)
        models: tuple[type[SegmentModel], ...] = (
            FixedModel,
            GaussianModel,
            EqualVarianceModel,
            LogisticModel,
            ConstantFprModel,
            ConstantTprModel,
        )
        return next(model for model in models if model.name == self.name)()


def candidates(model: Any, n_bins: Any, shrinkage: Any, score: Array) -> list[Candidate]:
    """All that the parameters of ErrorRedistribution leave open, and that can take the scores."""
    if model not in (*MODELS, *BASELINES, "auto"):
        known = ", ".join(f'"{name}"' for name in (*MODELS, *BASELINES, "auto"))
        raise refused("model", "must be one of {}, but is {}.", known, repr(model))
    sizes = [n_bins] if np.ndim(n_bins) == 0 else list(n_bins)
    numbers = [validation.whole(size, "n_bins", 1) for size in sizes]
    if isinstance(shrinkage, str):
        if shrinkage != "cv":
            raise refused("shrinkage", 'must be "cv", a number or several, but is {}.', repr(shrinkage))
        strengths: Sequence[float] = _SHRINKAGES
    else:
        given = [shrinkage] if np.ndim(shrinkage) == 0 else list(shrinkage)
        strengths = [_strength(value) for value in given]
    if not numbers or not strengths:
        raise ValueError(f"{'shrinkage' if numbers else 'n_bins'} is empty: there is nothing to choose from.")
    infinite = np.flatnonzero(np.isinf(score)) if score.dtype.kind == "f" else score[:0]
    if infinite.size and model not in (*_ORDINAL, "auto"):
        raise Refusal(
            "X must be finite for {}, but index {} is not.", Setting("model", model), int(infinite[0])
        )
    every = _ORDINAL if infinite.size else MODELS
    names = every if model == "auto" else (model,)
    return [
        Candidate(name, size, strength)
        for name in names
        for size in (numbers[:1] if name == "fixed" else numbers)
        for strength in (strengths if name == "pav" else (0.0,))
    ]


def _strength(value: Any) -> float:
    number = math.inf if value == math.inf else validation.non_negative(value, "shrinkage")
    return float(number)


def choose(
    tried: list[Candidate],
    data: Labelled,
    columns: Mapping[Column, Array],
    *,
    bins: Any,
    min_bin: int,
    cv: Any,
    random_state: Any,
) -> tuple[Candidate, dict[str, list[Any]]]:
    """The candidate with the largest mean area, and a table of all.

    Where the fixed threshold is among them, another must beat it by more than chance: its mean gain must be
    significant at 5 %, one-sided, by the t-test over folds. Of equals the first is taken.
    """
    if len(tried) == 1:
        return tried[0], {}
    folds = folds_of(data.positive, validation.whole(cv, "cv", 2), random_state)
    each = range(int(folds.max()) + 1)
    area = np.array([areas_without(tried, data, columns, folds, k, bins=bins, min_bin=min_bin) for k in each])
    return best_of(tried, area)


def best_of(tried: list[Candidate], area: Array) -> tuple[Candidate, dict[str, list[Any]]]:
    """The best of the candidates (c,) by their areas (k, c) on k folds, as :func:`choose` says."""
    from scipy.stats import t

    mean = area.mean(axis=0)
    fixed = next((i for i, c in enumerate(tried) if c.name == "fixed"), None)
    best = int(np.argmax(mean))
    table: dict[str, list[Any]] = {
        "model": [c.name for c in tried],
        "n_bins": [c.n_bins for c in tried],
        "shrinkage": [c.shrinkage for c in tried],
        "auc": mean.tolist(),
    }
    if fixed is not None:
        gain = area - area[:, [fixed]]
        error = gain.std(axis=0, ddof=1) / math.sqrt(len(area))
        table["gain"], table["gain_error"] = gain.mean(axis=0).tolist(), error.tolist()
        if not mean[best] - mean[fixed] > float(t.ppf(0.95, len(area) - 1)) * error[best]:
            best = fixed
    return tried[best], table


def folds_of(positive: Array, cv: int, random_state: Any) -> Array:
    """A fold for each example, as many of each class in each; -1 for those that are not needed."""
    rng = random_state
    if not isinstance(rng, (np.random.Generator, np.random.RandomState)):
        rng = validation.generator(random_state)
    folds = np.full(positive.size, UNSEEN)
    share = min(1.0, _MOST_TRIED / positive.size)
    of_pos = int(np.count_nonzero(positive == 1))
    cv = possible_folds(cv, min(of_pos, positive.size - of_pos))
    for label in (0, 1):
        rows = np.flatnonzero((positive == 1) == label)
        rows = rng.permutation(rows)[: max(cv, math.ceil(share * rows.size))]
        folds[rows] = np.arange(rows.size) % cv
    return folds


def areas_without(
    tried: list[Candidate],
    data: Labelled,
    columns: Mapping[Column, Array],
    folds: Array,
    k: int,
    *,
    bins: Any,
    min_bin: int,
) -> list[float]:
    """The area of each candidate on fold k, trained on the others."""
    train, test = (folds >= 0) & (folds != k), folds == k
    part, held = data.part(train), data.part(test)
    positive = (part.positive == 1).astype(np.uint8)
    areas, cut = [], {}
    for candidate in tried:
        if candidate.n_bins not in cut:
            made = fit_bins(
                {name: column[train] for name, column in columns.items()}, bins, positive,
                n_bins=candidate.n_bins, min_bin=min_bin, score=part.scores,
            )  # fmt: skip
            inside, outside = (
                made.assign({name: column[rows] for name, column in columns.items()})
                for rows in (train, test)
            )
            outside = np.where(outside == UNSEEN, len(made), outside)
            cut[candidate.n_bins] = SegmentedScores.of(part, inside, len(made)), outside
        scores, outside = cut[candidate.n_bins]
        ratio = candidate.model().fit(scores).ratio(held.scores.astype(float), outside)
        twice, n_pos, n_neg = area_of(tally_of(Labelled(held.positive, ratio, held.weights)))
        areas.append(twice / (2 * n_pos * n_neg))
    return areas
