"""What the choice of rules adds to errors: against rules that are chosen case by case in every half."""

from typing import Any

import numpy as np
import pytest

import rochull as rh
from rochull.conditions.rules import Rule, Scores
from rochull.hybrid.halves import Halves, blocks_of_fold
from rochull.hybrid.held_out import Family, LeftOut, SureRates, Tables
from rochull.hybrid.parts import Cuts, PartRules

COSTS = rh.ExpectedCost(1, 2, 1 / 3)
LEVELS = (0.0, 0.4, 0.8, 1.2)
AGAINST = Rule("threshold", "a", 0.8)
RULES = [
    Rule("never"),
    Rule("always"),
    *(Rule("threshold", "a", level) for level in LEVELS[::-1]),
    *(Rule("threshold", "b", -level, True) for level in LEVELS[::-1]),
]


def sample(n: int, apart: float, seed: int = 0) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Two scores, of which low ones of the second mean positive; the first is better by `apart`."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 3 == 0
    return y, {"a": rng.normal((1 + apart) * y), "b": -rng.normal(1.0 * y)}


def halves_of(y: np.ndarray, scores: dict[str, np.ndarray], blocks: np.ndarray) -> Halves:
    flags = scores["a"] >= 0.8
    cuts = []
    for name, lower in (("a", False), ("b", True)):
        high = -scores[name] if lower else scores[name]
        place = len(LEVELS) - np.searchsorted(LEVELS, high, side="right")
        cuts.append(Cuts(name, lower, np.array(LEVELS[::-1]), place, np.zeros((2, 5), int), y))
    who, at = np.array([[0, 0, *[0] * 4, *[1] * 4]]), np.array([[0, 5, 1, 2, 3, 4, 1, 2, 3, 4]])
    rules = {"": [PartRules(who, at, np.zeros((2, 10), int))]}
    tables = Tables({}, 0.3, None, [np.array([0, 1])], rules)
    return Halves.of(LeftOut(y, cuts, flags), blocks, tables, np.random.default_rng(1))


def rates(rows: np.ndarray, y: np.ndarray, flags: np.ndarray) -> np.ndarray:
    return np.array([flags[rows & y].mean(), flags[rows & ~y].mean()])


def best(kind: str, value: float, every: list[np.ndarray]) -> int:
    """The first of the best rules, one by one."""

    def worth(tpr: float, fpr: float) -> tuple[float, ...]:
        share = 0.3 * tpr + 0.7 * fpr
        return {
            "": lambda: (tpr - value * fpr,),
            "max_fpr": lambda: (fpr <= value, tpr),
            "min_recall": lambda: (tpr >= value, -fpr),
            "min_precision": lambda: (0.3 * tpr >= value * share, tpr),
            "fraction": lambda: (share <= value, tpr),
        }[kind]()

    return max(range(len(every)), key=lambda i: (worth(*every[i].tolist()), -i))


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("", 0.7),
        ("", np.inf),
        ("max_fpr", 0.2),
        ("min_recall", 0.7),
        ("min_precision", 0.5),
        ("fraction", 0.3),
    ],
)
def test_a_half_chooses_on_its_parts_and_is_judged_on_the_rest(kind: str, value: float) -> None:
    y, scores = sample(240, 0.1)
    blocks = np.random.default_rng(2).integers(0, 8, y.size)
    halves = halves_of(y, scores, blocks)
    flags = [rule.passes(y.size, lambda name: _as_scores(scores[str(name)])) for rule in RULES]
    against = flags[RULES.index(AGAINST)]
    found: list[np.ndarray] = []
    slope = min(value, 1e300)
    for half in halves.halves:
        own, caught = np.isin(blocks, half), np.zeros(y.size, bool)
        for fold in half.reshape(2, -1):
            rest = np.isin(blocks, fold)
            chosen = best(kind, slope, [rates(own & ~rest, y, each) for each in flags])
            caught[rest] = flags[chosen][rest]
        whole = flags[best(kind, slope, [rates(own, y, each) for each in flags])]
        apart = rates(own, y, caught) - rates(~own, y, whole)
        less = apart - rates(own, y, against) + rates(~own, y, against)
        found.append(np.array([apart, less]))
    own = SureRates(*np.array([[0.5], [0.5], [1e-4], [2e-4], [5e-5]]))
    family = halves.widened(kind, Family(np.array([value]), own, own))
    for row, told in zip(np.moveaxis(np.array(found), 1, 0), (family.rates, family.less), strict=True):
        assert told is not None
        added = [told.var_tpr[0] - 1e-4, told.var_fpr[0] - 2e-4, told.cov[0] - 5e-5]
        wanted = positive_part((np.cov(row.T, ddof=0) - 4 * np.array([[1e-4, 5e-5], [5e-5, 2e-4]])) / 2, row)
        assert added == pytest.approx([wanted[0, 0], wanted[1, 1], wanted[0, 1]], abs=1e-12)


def positive_part(excess: np.ndarray, row: np.ndarray) -> np.ndarray:
    """What is left of a symmetric matrix without its negative directions, on the scale of the variances."""
    scale = np.sqrt(row.var(axis=0) + np.array([1e-4, 2e-4]))
    weights, axes = np.linalg.eigh(excess / np.outer(scale, scale))
    found = sum(max(w, 0) * np.outer(axis, axis) for w, axis in zip(weights, axes.T, strict=True))
    return np.asarray(found * np.outer(scale, scale))


def _as_scores(column: np.ndarray) -> Any:
    return Scores(column)


def test_nothing_is_taken_away() -> None:
    y, scores = sample(240, 0.1)
    halves = halves_of(y, scores, np.arange(y.size) % 8)
    wide = SureRates(*np.array([[0.5], [0.5], [1.0], [2.0], [0.1]]))
    found = halves.widened("", Family(np.array([0.7]), wide, None)).rates
    assert [found.var_tpr, found.var_fpr, found.cov] == [[1.0], [2.0], [0.1]]


@pytest.mark.parametrize(("apart", "least", "most"), [(0.0, 1.15, 2.5), (1.5, 1.0, 1.4)])
def test_scores_that_are_alike_make_the_cost_less_sure(apart: float, least: float, most: float) -> None:
    found = []
    for seed in range(4):
        y, scores = sample(1500, apart, seed)
        hybrid = rh.Hybrid().add("a", y, scores["a"]).add("b", y, scores["b"], lower_is_positive=True)
        need = hybrid.need(COSTS, y, scores, n_repeats=2)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Halves, "all_widened", lambda self, found: found)
            found.append(need.hybrid_error / hybrid.need(COSTS, y, scores, n_repeats=2).hybrid_error)
    assert least < np.mean(found) < most


def test_blocks_are_as_many_as_cases_allow() -> None:
    assert [blocks_of_fold(10, least) for least in (20, 39, 40, 10_000)] == [1, 1, 2, 2]
    assert [blocks_of_fold(n, 10_000) for n in (2, 5, 30)] == [12, 5, 1]
