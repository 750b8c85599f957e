"""What the golden files hold: questions that are asked of every document, and answers written compactly.

`scripts/make_golden.py` wrote the files with the code of version 0.1.0 in its first form; `tests/test_golden.py` asks
again. A question is known by its name, so that it may be written otherwise later; its answer must stay.
"""

from __future__ import annotations

import hashlib
import json
import math
import warnings
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import polars as pl
from scipy import stats

import rochull as rh

FILES = Path(__file__).resolve().parent.parent / "golden"
TABLE = FILES / "table.json"
C = rh.conditions
Answer = str
Asks = Iterator[tuple[str, Callable[[], Any]]]


# --- the table that is decided ---------------------------------------------------------------------------


def table_text(table: pl.DataFrame) -> str:
    """A table as plain JSON: what JSON has no number for is a text."""

    def plain(value: Any) -> Any:
        return str(value) if isinstance(value, float) and not math.isfinite(value) else value

    columns = {
        column.name: {"type": str(column.dtype), "values": [plain(value) for value in column.to_list()]}
        for column in table
    }
    return json.dumps(columns, separators=(",", ":"), ensure_ascii=False) + "\n"


def read_table() -> pl.DataFrame:
    """The table as it was written, bit for bit."""

    def column(name: str, type_: str, values: list[Any]) -> pl.Series:
        if type_.startswith("Float"):
            values = [float(value) if isinstance(value, str) else value for value in values]
        return pl.Series(name, values, dtype=getattr(pl, type_))

    written = json.loads(TABLE.read_text(encoding="utf-8"))
    return pl.DataFrame([column(name, each["type"], each["values"]) for name, each in written.items()])


# --- questions about two classes ---------------------------------------------------------------------------


def concave(fpr: float, tpr: float) -> float:
    """A utility whose best point may be inside an edge."""
    return tpr**0.5 - fpr


def gain(fpr: float, tpr: float) -> float:
    """A utility that is straight."""
    return 2 * tpr - 3 * fpr


def alarms(fpr: float, tpr: float) -> float:
    """The goal of Neyman and Pearson as a utility."""
    return tpr


COST = rh.ExpectedCost(1, 3, 0.3)
PRECISE: dict[str, Any] = {
    "cost": COST,
    "cost, data's prevalence": rh.ExpectedCost(2, 1),
    "cost, free misses": rh.ExpectedCost(1, 0, 0.3),
    "cost, free alarms": rh.ExpectedCost(0, 1, 0.3),
    "cost, steep": rh.ExpectedCost(40, 1, 0.1),
    "accuracy": rh.Accuracy(),
    "accuracy, .6": rh.Accuracy(0.6),
    "fpr .1": rh.NeymanPearson(0.1),
    "fpr .37": rh.NeymanPearson(0.37),
    "fpr 0": rh.NeymanPearson(0),
    "fpr 1": rh.NeymanPearson(1),
    "fpr, sure": rh.NeymanPearson(0.2, confidence=0.9),
    "recall .8": rh.MinimumRecall(0.8),
    "recall .333": rh.MinimumRecall(0.333),
    "recall 0": rh.MinimumRecall(0),
    "recall 1": rh.MinimumRecall(1),
    "recall, sure": rh.MinimumRecall(0.5, confidence=0.9),
    "precision .6": rh.MinimumPrecision(0.6, prevalence=0.3),
    "precision .7, data's": rh.MinimumPrecision(0.7),
    "precision .99": rh.MinimumPrecision(0.99, prevalence=0.01),
    "precision, sure": rh.MinimumPrecision(0.6, confidence=0.9),
    "capacity .2": rh.Capacity(fraction=0.2, prevalence=0.3),
    "capacity .55, data's": rh.Capacity(fraction=0.55),
    "capacity 0": rh.Capacity(fraction=0, prevalence=0.3),
    "capacity 30 of 200": rh.Capacity(cases=30, population=200, prevalence=0.3),
    "30 cases": rh.Capacity(cases=30),
    "77.9 cases": rh.Capacity(cases=77.9, prevalence=0.2),
    "0 cases": rh.Capacity(cases=0),
    "9999 cases": rh.Capacity(cases=9999),
    "recall as a goal": rh.Recall(),
    "fpr as a goal": rh.FalsePositiveRate(),
    "alarms as a goal": rh.AlarmRate(prevalence=0.3),
    "precision as a goal": rh.Precision(prevalence=0.3),
    "recall within fpr": rh.Within(rh.Recall(), rh.FalsePositiveRate() <= 0.1),
    "fpr within recall": rh.Within(rh.FalsePositiveRate(), rh.Recall() >= 0.8),
    "recall within precision": rh.Within(rh.Recall(), rh.Precision(prevalence=0.3) >= 0.6),
    "recall within alarms": rh.Within(rh.Recall(), rh.AlarmRate(prevalence=0.3) <= 0.2),
    "recall within alarms, data's": rh.Within(rh.Recall(), rh.AlarmRate() <= 0.2),
    "recall within two": rh.Within(
        rh.Recall(), [rh.FalsePositiveRate() <= 0.3, rh.Precision(prevalence=0.3) >= 0.6]
    ),
    "precision within recall": rh.Within(rh.Precision(prevalence=0.3), rh.Recall() >= 0.6),
    "alarms within recall": rh.Within(rh.AlarmRate(prevalence=0.3), rh.Recall() >= 0.6),
    "cost within precision": rh.Within(COST, rh.Precision() >= 0.55),
    "cost within alarms": rh.Within(rh.ExpectedCost(1, 9), rh.AlarmRate() <= 0.25),
    "cost within cost": rh.Within(rh.Recall(), rh.ExpectedCost(1, 2, 0.3) <= 0.28),
    "fpr .3 within precision": rh.Within(rh.NeymanPearson(0.3), rh.Precision(prevalence=0.3) >= 0.6),
    "accuracy within a limit": rh.Within(rh.Accuracy(0.4), rh.NeymanPearson(0.05)),
    "youden within recall": rh.Within(rh.Youden(), rh.Recall() >= 0.9),
    "f1 within fpr": rh.Within(rh.FBeta(1, prevalence=0.3), rh.FalsePositiveRate() <= 0.08),
    "utility within fpr": rh.Within(rh.Utility(concave), rh.FalsePositiveRate() <= 0.15),
    "within nothing": rh.Within(rh.Recall(), [rh.FalsePositiveRate() <= 0.01, rh.Recall() >= 0.999]),
    "within, sure": rh.Within(rh.Recall(), rh.FalsePositiveRate() <= 0.2, confidence=0.9),
    "within 30 cases": rh.Within(rh.Capacity(cases=30), rh.FalsePositiveRate() <= 0.1),
    "within 90 cases": rh.Within(rh.Capacity(cases=90), rh.FalsePositiveRate() <= 0.1),
    "cost within 40 cases": rh.Within(COST, rh.Capacity(cases=40)),
    "utility": rh.Utility(concave),
    "utility, straight": rh.Utility(gain),
    "constrained": rh.Constrained(alarms, 0, 1, 0.1),
    "constrained, both": rh.Constrained(concave, 0.3, 0.7, 0.25),
    "youden": rh.Youden(),
    "balanced accuracy": rh.BalancedAccuracy(),
    "mcc": rh.MCC(prevalence=0.3),
    "mcc, data's": rh.MCC(),
    "f1": rh.FBeta(),
    "f2": rh.FBeta(2, prevalence=0.3),
    "churn": C.ChurnProfit(prevalence=0.3),
    "credit": C.CreditProfit(prevalence=0.3),
}
REVIEWS: dict[str, Any] = {
    "review": rh.Review(1, 3, 0.2, 0.3),
    "review, data's": rh.Review(1, 1, 0.1),
    "review, dear": rh.Review(1, 3, 9, 0.3),
    "review, a share": rh.Review(1, 3, 0.1, 0.3, max_share=0.15),
    "review, no share": rh.Review(1, 3, 0.1, 0.3, max_share=0),
    "review, errors": rh.Review(1, 3, 0.5, 0.3, max_error=0.08),
    "review, both": rh.Review(1, 3, 0.1, 0.3, max_share=0.4, max_error=0.12),
    "review, neither can be": rh.Review(1, 3, 0.1, 0.3, max_share=0.01, max_error=0.001),
    "review, reviewer": rh.Review(1, 3, 0.1, 0.3, reviewer=(0.05, 0.9)),
    "review, 25 cases": rh.Review(1, 3, 0.1, 0.3, max_cases=25),
    "review, 0 cases": rh.Review(1, 3, 0.1, max_cases=0),
    "review, sure": rh.Review(1, 3, 0.1, max_share=0.3, confidence=0.9),
}
RANGES: dict[str, Any] = {
    "costs in a range": rh.ExpectedCost(1, (2, 8), (0.1, 0.4)),
    "prevalence in a range": rh.ExpectedCost(1, 2, (0.2, 0.5)),
    "costs by chance": rh.ExpectedCost(1, stats.uniform(1, 4), 0.3),
    "accuracy in a range": rh.Accuracy((0.2, 0.7)),
    "fpr in a range": rh.NeymanPearson((0.05, 0.3)),
    "recall in a range": rh.MinimumRecall((0.6, 0.9)),
    "precision in a range": rh.MinimumPrecision((0.4, 0.6), prevalence=0.3),
    "prevalence of precision in a range": rh.MinimumPrecision(0.4, prevalence=(0.2, 0.4)),
    "capacity in a range": rh.Capacity(fraction=(0.1, 0.3), prevalence=0.3),
    "limit throughout a range": rh.Within(rh.Recall(), rh.AlarmRate(prevalence=(0.1, 0.4)) <= 0.2),
    "range within a limit": rh.Within(
        rh.ExpectedCost(1, (2, 8), 0.3), [rh.FalsePositiveRate() <= 0.2, rh.Recall() >= 0.5]
    ),
    "fpr in a range, within": rh.Within(rh.NeymanPearson((0.1, 0.4)), rh.Precision(prevalence=0.3) >= 0.5),
    "review in a range": rh.Review(1, (2, 8), 0.2, 0.3),
    "review, prevalence in a range": rh.Review(1, 3, 0.2, (0.1, 0.5)),
}
WRONG: dict[str, Any] = {
    "a limit alone": rh.FalsePositiveRate() <= 0.1,
    "a text": "cost",
    "nothing": None,
    "a number": 0.5,
}
LIMITS: dict[str, Any] = {
    "fpr": rh.FalsePositiveRate() <= 0.15,
    "two": [rh.Recall() >= 0.5, rh.Precision(prevalence=0.3) >= 0.4],
    "a condition": rh.NeymanPearson(0.2),
}
DRAWN = ["fpr .1", "recall .8", "30 cases", "capacity .2", "review, a share", "review, 25 cases", "utility"]
QUEUED = ["30 cases", "77.9 cases", "review, 25 cases", "within 90 cases", "cost"]
LIMITED = ["cost", "recall as a goal", "fpr .1", "recall .8", "youden", "30 cases", "review", "mcc, data's"]
ESTIMATED = ["cost", "precision .6", "fpr .1", "30 cases", "review, data's", "within 30 cases"]
ALL = PRECISE | REVIEWS | RANGES | WRONG


def in_all_ways() -> Iterator[tuple[str, str, dict[str, Any]]]:
    """The questions, with how they are asked: (name, name of the question, keywords)."""
    key = {"key": "key"}
    for name in ALL:
        yield name, name, key
        if name not in WRONG:
            yield f"{name}; single", name, {**key, "deterministic": True}
            yield f"{name}; at .2", name, {**key, "prevalence": 0.2}
    for name in [*RANGES, "cost", "fpr .1", "30 cases", "review", "mcc"]:
        yield f"{name}; minimax", name, {**key, "minimax": True}
        yield f"{name}; minimax, single", name, {**key, "minimax": True, "deterministic": True}
    for name in DRAWN:
        yield f"{name}; text key", name, {"key": "name"}
        yield f"{name}; seed", name, {"random_state": 7}
        yield f"{name}; by lot", name, {**key, "order": "lot"}
        yield f"{name}; other order", name, {**key, "order": "best"}
    for name in LIMITED:
        for limits, given in LIMITS.items():
            yield f"{name}; within {limits}", name, {**key, "subject_to": given}
        yield f"{name}; single, within", name, {**key, "deterministic": True, "subject_to": LIMITS["two"]}
    for name in ESTIMATED:
        yield f"{name}; estimated", name, {**key, "prevalence": "estimate"}


# --- answers as texts ----------------------------------------------------------------------------------------


def digest(*parts: Any) -> str:
    """A few letters for what is too long."""
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:10]


def rounded(numbers: Any) -> list[str]:
    """Numbers as far as every machine computes them alike."""
    return [f"{number:.12g}" for number in np.ravel(np.asarray(numbers, float)).tolist()]


def written(found: Any) -> Answer:
    """Decisions, ranks, points and numbers as a short text."""
    if isinstance(found, np.ndarray) and found.dtype == bool:
        return f"{len(found)} {np.packbits(found).tobytes().hex()}"
    if isinstance(found, np.ndarray) and (found.dtype.kind in "UTO" or len(set(found.tolist())) < 9):
        names = sorted({str(value) for value in found.tolist()})
        at = {name: str(i) for i, name in enumerate(names)}
        return f"{','.join(names)} {''.join(at[str(value)] for value in found.tolist())}"
    if isinstance(found, np.ndarray) and found.dtype.kind in "iu":
        return digest(found.tolist())
    if isinstance(found, np.ndarray):
        return digest(rounded(found))
    if hasattr(found, "rank"):
        return digest(found.rank.tolist(), rounded(found.probability), found.cases, rounded(found.prevalence))
    if hasattr(found, "rules") and hasattr(found, "fpr"):
        rules = [(f"{rule:.12g}", f"{share:.12g}") for rule, share in found.rules]
        return digest(rounded([found.fpr, found.tpr]), rules, list(found.classifiers))
    if isinstance(found, (float, int)):
        return rounded(found)[0]
    return str(found)


def kind_of(error: Exception) -> str:
    """The class of an error by which callers catch it, whether or not it holds its message as data."""
    return next(cls.__name__ for cls in type(error).__mro__ if cls.__module__ != "rochull._core.messages")


def answered(call: Callable[[], Any]) -> Answer:
    """What is answered, or the kind of error that refuses it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return written(call())
        except (ValueError, TypeError, KeyError, NotImplementedError) as error:
            return f"refused {kind_of(error)}"


class Sql:
    """What DuckDB decides by an expression, written as decisions are."""

    def __init__(self, table: pl.DataFrame) -> None:
        self._connection = duckdb.connect(config={"threads": 1})
        self._connection.register("given", table.to_arrow())
        self._connection.execute("CREATE TABLE cases AS SELECT * FROM given")

    def answers(self, texts: Mapping[str, str]) -> dict[str, Answer]:
        """Those of some expressions, each known by a name."""
        found: dict[str, Answer] = {}
        for text in dict.fromkeys(texts.values()):
            rows = self._connection.execute(f"SELECT {text} FROM cases").fetchall()
            values = [value for (value,) in rows]
            kind = bool if all(isinstance(value, bool) for value in values) else object
            answer = written(np.array(values, kind))
            found |= {name: answer for name, own in texts.items() if own == text}
        return found


def in_sql(
    to_sql: Callable[..., str], asks: Mapping[str, dict[str, Any]], table: pl.DataFrame
) -> dict[str, Answer]:
    """What the SQL of some questions decides, or why there is none."""
    texts: dict[str, str] = {}
    found: dict[str, Answer] = {}
    for name, given in asks.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                texts[name] = to_sql(**given)
            except (ValueError, TypeError, KeyError, NotImplementedError) as error:
                found[name] = f"refused {kind_of(error)}"
    answers = Sql(table).answers(texts)
    return {name: found.get(name) or answers[name] for name in asks}


# --- what each kind of document is asked --------------------------------------------------------------------


def of_policy(made: Any, table: pl.DataFrame) -> Asks:
    """A policy under all conditions, in all ways."""
    for name, question, how in in_all_ways():
        yield name, lambda q=question, how=how: made.decide(table, ALL[q], **how)
    yield from _points(made)
    for name in QUEUED:
        yield f"{name}; ranked", lambda q=name: made.rank(table, ALL[q], key="key")
        yield f"{name}; ranked by lot", lambda q=name: made.rank(table, ALL[q], key="key", order="lot")
    for name in ("cost", "fpr .1", "review, a share"):
        yield f"{name}; its point", lambda q=name: made.decide(table, made.at(ALL[q]), key="key")
    yield "prevalence", lambda: made.estimate_prevalence(table).estimate
    yield "classifiers", lambda: ",".join(made.classifiers)


def _points(made: Any) -> Asks:
    for name in ALL:
        yield f"{name}; at", lambda q=name: made.at(ALL[q])
        yield f"{name}; at, single", lambda q=name: made.at(ALL[q], True)
    for name in RANGES:
        yield f"{name}; at, minimax", lambda q=name: made.at(ALL[q], minimax=True)


def of_segments(made: Any, table: pl.DataFrame) -> Asks:
    """A policy of segments; where cases are of none, they are asked without these too."""
    known = table.filter(pl.Series(made.segment(table) >= 0))
    decided = known if answered(lambda: made.decide(table, COST, key="key")).startswith("refused") else table
    for name, question, how in in_all_ways():
        if "prevalence" not in how:
            yield name, lambda q=question, how=how: made.decide(decided, ALL[q], **how)
    for name in ("cost", "fpr .1", "30 cases", "recall .8", "youden"):
        yield f"{name}; known", lambda q=name: made.decide(known, ALL[q], key="key")
        yield f"{name}; known, strict", lambda q=name: made.decide(known, ALL[q], key="key", unseen="raise")
        yield f"{name}; strict", lambda q=name: made.decide(table, ALL[q], key="key", unseen="raise")
        yield f"{name}; needs", lambda q=name: made.needs_score(ALL[q], table)
        yield f"{name}; needs, single", lambda q=name: made.needs_score(ALL[q], table, True)
        yield f"{name}; thresholds", lambda q=name: digest(sorted(map(str, made.thresholds(ALL[q]).items())))
    yield from _points(made)
    each: dict[Any, int] = {name: 3 + i for i, name in enumerate(made.segments)}
    for name, counts in {"some of each": each, "some of each and elsewhere": {**each, None: 2}}.items():
        for which, cases in {"all": table, "known": known}.items():
            yield f"{name}, {which}", lambda c=counts, t=cases: made.decide(t, c, key="key")
            yield (
                f"{name}, {which}; ranked",
                lambda c=counts, t=cases: made.rank(t, c, key="key", prevalence=0.3),
            )
    for name in QUEUED:
        yield f"{name}; ranked", lambda q=name: made.rank(known, ALL[q], key="key")
        yield f"{name}; ranked by lot", lambda q=name: made.rank(known, ALL[q], key="key", order="lot")
    yield "segment", lambda: made.segment(table)


FALLBACK = C.OperatingPoint(0.2, 0.6, ((C.Rule("threshold", "a", 0.4), 0.5), (C.Rule("always"), 0.5)))


def of_groups(made: Any, table: pl.DataFrame) -> Asks:
    """A policy of groups."""
    known = table.filter(table["group"].is_in(["f", "m"]))
    for which, cases in {"all": table, "known": known}.items():
        for name, how in {
            "key": {"key": "key"},
            "text key": {"key": "name"},
            "seed": {"random_state": 7},
        }.items():
            yield f"{which}, {name}", lambda t=cases, how=how: made.decide(t, **how)
            yield f"{which}, {name}, unseen", lambda t=cases, how=how: made.decide(t, unseen=FALLBACK, **how)
    yield "no key", lambda: made.decide(table, unseen="odd")
    yield "groups apart", lambda: made.decide(known, known["group"].to_list(), key="key")


def of_fixed(made: Any, table: pl.DataFrame) -> Asks:
    """A rule, or a mixture."""
    yield from _of_no_condition(made, table)
    yield "point", lambda: made.point


def of_plan(made: Any, table: pl.DataFrame) -> Asks:
    """A saved plan, of cases in all groups and in those that it may know."""
    yield from _of_no_condition(made, table)
    known = table.filter(table["group"].is_in(["f", "m"]))
    yield "known", lambda: made.decide(known, key="key")
    yield "unseen", lambda: made.decide(table, key="key", unseen=FALLBACK)


def _of_no_condition(made: Any, table: pl.DataFrame) -> Asks:
    for name, how in {
        "key": {"key": "key"},
        "text key": {"key": "name"},
        "seed": {"random_state": 7},
    }.items():
        yield name, lambda how=how: made.decide(table, **how)
    yield "other columns", lambda: made.decide(table.rename({"a": "z"}), key="key", columns={"a": "z"})


def of_cascade(made: Any, table: pl.DataFrame) -> Asks:
    """A cascade with budgets of calls."""
    for name in CASCADED:
        for budget in BUDGETS:
            for single in (False, True):
                how = {"max_calls": budget, "deterministic": single}
                said = f"{name}; {budget} calls{', single' * single}"
                yield said, lambda q=name, how=how: made.decide(table, ALL[q], key="key", **how)
                yield f"{said}; at", lambda q=name, how=how: _cascaded(made.at(ALL[q], **how))
                for other in made.classifiers:
                    asked = {"key": "key", **how}
                    yield (
                        f"{said}; needs {other}",
                        lambda q=name, c=other, how=asked: made.needs_score(c, table, ALL[q], **how),
                    )
        yield (
            f"{name}; frontier",
            lambda q=name: digest(rounded(made.frontier(ALL[q]).calls), rounded(made.frontier(ALL[q]).cost)),
        )
    for name in (*PRECISE, *REVIEWS, *RANGES, *WRONG):
        yield f"{name}; key", lambda q=name: made.decide(table, ALL[q], key="key")
    yield "cost; seed", lambda: made.decide(table, COST, max_calls=0.2, random_state=7)
    yield "cost; text key", lambda: made.decide(table, COST, max_calls=0.2, key="name")
    yield "cost; its point", lambda: made.decide(table, made.at(COST, 0.2), key="key")


CASCADED = ["cost", "cost, data's prevalence", "cost, steep", "accuracy, .6", "fpr .1"]
BUDGETS = [None, 0, 0.2, 0.7]


def _cascaded(point: Any) -> str:
    return digest(rounded([point.fpr, point.tpr, point.cost, *point.calls.values()]))


def of_knob(made: Any, table: pl.DataFrame) -> Asks:
    """A knob where it stands, turned, and after outcomes; the last ones change it."""
    yield "position", lambda: made.position
    yield "decide", lambda: made.decide(table, key="key")
    yield "seed", lambda: made.decide(table, random_state=7)
    for position in (0, 0.25, 0.5, 1):
        yield f"at {position}", lambda p=position: made.at(p)
        yield f"at {position}, single", lambda p=position: made.at(p, True)
    for name in ("cost", "fpr .1", "recall .8", "youden", "30 cases", "review"):
        yield f"position of {name}", lambda q=name: made.position_of(ALL[q])
    for n in range(3):
        yield f"feedback {n}", lambda: made.feedback(presented=100, alarms=35, false_alarms=9)
    yield "decide after that", lambda: made.decide(table, key="key")


def of_calibrator(made: Any, table: pl.DataFrame) -> Asks:
    """A calibrator's map, and its decisions by costs."""
    scores = table["a"].fill_null(0.25).fill_nan(0.5).to_numpy()
    finite = np.clip(scores, -3, 3)
    for name, given in {"all": scores, "finite": finite, "shares": (finite + 4) / 9}.items():
        yield f"{name}; llr", lambda s=given: made.llr(s)
        yield f"{name}; posterior", lambda s=given: made.posterior(s)
        yield f"{name}; posterior, .1", lambda s=given: made.posterior(s, 0.1)
        for question in ("cost", "cost, data's prevalence", "accuracy", "fpr .1"):
            yield f"{name}; {question}", lambda s=given, q=question: made.decide(s, ALL[q])


M = rh.multiclass
LABELS = ("bus", "car", "van")


def least_van(confusion: Any) -> Any:
    """A function of confusion matrices to be minimised."""
    return -np.asarray(confusion)[..., 2, 2] / np.asarray(confusion)[..., 2, :].sum(-1)


def classes_asked(labels: tuple[Any, ...]) -> dict[str, Any]:
    """What several classes are decided under, but for points."""
    first, second, third = labels
    costs = [[0, 1, 5], [2, 0, 1], [9, 1, 0]]
    return {
        "max_error": "max_error",
        "error": "error",
        "costs": M.CostMatrix(costs),
        "costs, priors": M.CostMatrix(costs, [0.2, 0.3, 0.5]),
        "an error": M.Error(second),
        "a cell": M.Cell(first, third),
        "a function": least_van,
        "weights": [1, 1, 1],
        "weights, others": [0.3, 1.7, 0.9],
        "weights, zero": [0, 1, 3],
        "weights by label": {first: 1, second: 2, third: 0.5},
        "a limit alone": M.Error(second) <= 0.5,
        "too few weights": [1, 2],
        "a text": "best",
        "cost": COST,
    }


def limits_asked(labels: tuple[Any, ...]) -> dict[str, Any]:
    """Limits on several classes."""
    first, second, third = labels
    return {
        "none": (),
        "one": M.Error(first) <= 0.4,
        "two": [M.Error(second) <= 0.6, M.Cell(third, third) >= 0.3],
        "largest": M.MaxError() <= 0.55,
        "impossible": M.MaxError() <= 0.01,
    }


def of_classes(made: Any, table: pl.DataFrame) -> Asks:
    """A policy of several classes."""
    columns = dict(zip(made.classes, LABELS, strict=True))
    names = {str(label): name for label, name in columns.items()}
    asked = {"key": "key", "columns": columns}
    for name, question in classes_asked(made.classes).items():
        yield name, lambda q=question: made.decide(table, q, **asked)
    for name, limits in limits_asked(made.classes).items():
        for goal, question in classes_asked(made.classes).items():
            if "weights" in goal or goal in ("a limit alone", "cost"):
                continue
            for mixed in (False, True):
                said = f"{goal} within {name}{', mixed' * mixed}"
                yield (
                    said,
                    lambda q=question, limits=limits, mixed=mixed: made.decide(
                        table, made.at(q, limits, mixtures=mixed), **asked
                    ),
                )
                yield (
                    f"{said}; at",
                    lambda q=question, limits=limits, mixed=mixed: digest(
                        rounded(made.at(q, limits, mixtures=mixed).confusion)
                    ),
                )
    limits = limits_asked(made.classes)["two"]
    for name, how in {"text key": {"key": "name"}, "seed": {"random_state": 7}}.items():
        yield (
            name,
            lambda how=how: made.decide(
                table, made.at("error", limits, mixtures=True), columns=columns, **how
            ),
        )
    yield "an array", lambda: made.decide(table.select(LABELS).to_numpy(), "error")
    yield "a mapping", lambda: made.decide({k: table[v].to_numpy() for k, v in names.items()}, "error")


# --- the same in SQL -----------------------------------------------------------------------------------------


def sql_of_policy(made: Any, table: pl.DataFrame) -> dict[str, Answer]:
    """Of a policy, of segments or not."""
    asks = {
        name: {"condition": ALL[question], "dialect": "duckdb", **how}
        for name, question, how in in_all_ways()
        if not {"prevalence", "order", "random_state"} & how.keys()
    }
    return in_sql(made.to_sql, asks, table)


def sql_of_groups(made: Any, table: pl.DataFrame) -> dict[str, Answer]:
    """Of groups, and of cases of no group."""
    asks: dict[str, dict[str, Any]] = {}
    for name, column in {"key": "key", "text key": "name"}.items():
        asks[f"all, {name}"] = {"dialect": "duckdb", "key": column}
        asks[f"all, {name}, unseen"] = {"dialect": "duckdb", "key": column, "unseen": FALLBACK}
    return in_sql(made.to_sql, asks, table)


def sql_of_fixed(made: Any, table: pl.DataFrame) -> dict[str, Answer]:
    """Of a policy that is asked nothing."""
    asks = {"key": {"dialect": "duckdb", "key": "key"}, "text key": {"dialect": "duckdb", "key": "name"}}
    return in_sql(made.to_sql, asks, table)


def sql_of_cascade(made: Any, table: pl.DataFrame) -> dict[str, Answer]:
    """Of a cascade: decisions and needs."""
    asks = {
        f"{name}; {budget} calls{', single' * single}": {
            "condition": ALL[name], "dialect": "duckdb", "key": "key",
            "max_calls": budget, "deterministic": single,
        }
        for name in CASCADED
        for budget in BUDGETS
        for single in (False, True)
    }  # fmt: skip
    needs = {
        f"{name}; needs {other}": {"classifier": other, **how}
        for other in made.classifiers
        for name, how in asks.items()
    }
    return in_sql(made.to_sql, asks, table) | in_sql(made.needs_score_sql, needs, table)


def sql_of_classes(made: Any, table: pl.DataFrame) -> dict[str, Answer]:
    """Of several classes."""
    columns = dict(zip(made.classes, LABELS, strict=True))
    how = {"dialect": "duckdb", "key": "key", "columns": columns}
    asks = {name: {"condition": q, **how} for name, q in classes_asked(made.classes).items()}
    for name, limits in limits_asked(made.classes).items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                point = made.at("error", limits, mixtures=True)
            except ValueError:
                continue
        asks[f"error within {name}, mixed"] = {"condition": point, **how}
    return in_sql(made.to_sql, asks, table)


Kind = tuple[Callable[[str], Any], Callable[[Any, pl.DataFrame], Asks], Any]
KINDS: dict[str, Kind] = {
    "policy": (rh.Policy.from_json, of_policy, sql_of_policy),
    "fixed": (rh.policies.FixedPolicy.from_json, of_fixed, sql_of_fixed),
    "segments": (rh.segments.SegmentPolicy.from_json, of_segments, sql_of_policy),
    "groups": (rh.groups.GroupPolicy.from_json, of_groups, sql_of_groups),
    "plan": (rh.policies.SavedPlan.from_json, of_plan, sql_of_fixed),
    "cascade": (rh.cascades.CascadePolicy.from_json, of_cascade, sql_of_cascade),
    "classes": (rh.multiclass.MulticlassPolicy.from_json, of_classes, sql_of_classes),
    "knob": (rh.Knob.from_json, of_knob, None),
    "pav": (rh.PavCalibrator.from_json, of_calibrator, None),
    "logistic": (rh.LogisticCalibrator.from_json, of_calibrator, None),
    "beta": (rh.BetaCalibrator.from_json, of_calibrator, None),
}


def answers(kind: str, document: str, table: pl.DataFrame) -> dict[str, Answer]:
    """What a document answers to everything that its kind is asked."""
    load, asks, _ = KINDS[kind]
    return {name: answered(call) for name, call in asks(load(document), table)}


def sql_answers(kind: str, document: str, table: pl.DataFrame) -> dict[str, Answer]:
    """What its SQL answers in DuckDB."""
    load, _, in_duckdb = KINDS[kind]
    found: dict[str, Answer] = {} if in_duckdb is None else in_duckdb(load(document), table)
    return found
