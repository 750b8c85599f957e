"""The contract of all kinds of documents: what is not exactly one is refused by one line that says where."""

import contextlib
import copy
import json
import math
import random
import re
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import document_cases as cases
import rochull as rh
from document_cases import JUNK, Document, changed, dumped, mutated, named, places, put, refusal, remove
from profiles import some

LABELS = [True, False, -1, 0, 1.5, "text", ""]
NO_NUMBERS = [math.nan, math.inf]  # JSON has no such
PAV_LABELS = [*LABELS, 10**400]


@dataclass(frozen=True)
class Kind:
    """A class, a document of it, and what may be otherwise in that.

    Attributes
    ----------
    may_go : places whose removal leaves a valid document.
    fits : junk of another type that is valid at places, which are patterns.
    edits : other values, which only the checksum gives away.
    """

    cls: Any
    document: Document
    edits: dict[tuple[Any, ...], Any]
    may_go: tuple[str, ...] = ()
    fits: dict[str, list[Any]] = field(default_factory=dict)

    @property
    def paths(self) -> list[tuple[Any, ...]]:
        return [path for path in places(self.document) if path and path != ("checksum",)]

    def takes(self, path: tuple[Any, ...], junk: Any) -> bool:
        good = [
            value for place, some in self.fits.items() if fnmatchcase(named(path), place) for value in some
        ]
        return any(junk == value and type(junk) is type(value) for value in good)


ABOUT: dict[tuple[Any, ...], Any] = {("about",): {"from": "elsewhere"}, ("checksum",): "0" * 64}
KINDS = {
    "policy": Kind(
        rh.Policy, cases.policy(),
        {**ABOUT, ("salt",): "y", ("unit_neg",): 2.0, ("points", 1, "rules", 0, "threshold"): 6.25},
        ("about.from", "points.1", "points.2", "singles", "singles.?", "every_threshold"),
        {"points.2.rules.0.threshold": [-1, 0], "singles.1.rules.0.threshold": [-1, 0]},
    ),
    "segment policy": Kind(
        rh.segments.SegmentPolicy, cases.segment_policy(),
        {
            **ABOUT, ("salt",): "y", ("unit_neg",): 2.0, ("tables", 0, "threshold", 1): 6.25,
            ("bins", "axes", 0, "edges", 0): 0.25, ("bins", "of_cell", 0): 0,
        },
        ("about.from",),
        {
            "bins.axes.0.column": [-1, 0, 10**400], "bins.axes.0.edges.0": [-1, 0],
            "bins.axes.1.column": ["text", ""], "bins.axes.1.categories.?": LABELS[1:],
            "tables.[01].threshold.1": [-1, 0, 1.5], "tables.0.threshold.2": [1.5],
            "tables.0.classifier": [0], "elsewhere": [None],
        },
    ),
    "group policy": Kind(
        rh.groups.GroupPolicy, cases.group_policy(),
        {**ABOUT, ("salt",): "y", ("plan", "bins", "column"): "gender", ("rates", 0, "fpr"): 0.125},
        ("about.from", "rates.?.n_*"),
        {
            "plan.bins.groups.?": LABELS, "rates.?.[ft]pr": [0, 1], "rates.?.n_*": [None, 1], "plan.elsewhere": [],
            "plan.branches.*.rule.threshold": [-1, 0, 1.5],
        },
    ),
    "fixed policy": Kind(
        rh.policies.FixedPolicy, cases.fixed_policy(),
        {**ABOUT, ("salt",): "y", ("condition",): "other", ("rates", 0, "fpr"): 0.125},
        ("about.from",),
        {"rates.?.[ft]pr": [0, 1], "plan.*.rule.low.threshold": [-1, 0, 1.5]},
    ),
    "saved plan": Kind(
        rh.policies.SavedPlan, cases.saved_plan(),
        {**ABOUT, ("salt",): "y", ("condition",): "other", ("plan", "edges", 0): 0.125},
        ("about.from", "*.lower_is_positive"), {"plan.edges.0": [-1, 0], "plan.*.rule.threshold": [-1, 0, 1.5]},
    ),
    "multi-class policy": Kind(
        rh.multiclass.MulticlassPolicy, cases.multiclass(), {**ABOUT, ("points", 0, "weights", 0): 9.0},
        ("about.from", "points.?"), {"classes.?": LABELS, "points.?.weights.?": [0]},
    ),
    "knob": Kind(
        rh.Knob, cases.knob(),
        {
            ("alarm_rate",): 0.9, ("position",): 0.3, ("presented",): 101.0, ("checksum",): "0" * 64,
            ("policy", "salt"): "other",
        },
        fits={
            "lowest": [0], "silence": [0], "alarm_rate": [None, 0], "precision": [None, 0],
            "capacity": [None, 0], "presented": [None, 0], "of_*.mean": [-1, 0],
        },
    ),
    "monitor": Kind(
        rh.Monitor, cases.monitor(),
        {("level",): 0.9, ("margin",): 0.5, ("state", "cases"): 16, ("checksum",): "0" * 64},
        ("state.seen.0", "state.labelled.0", "state.history.0", "state.history.0.alarms.0", "state.alarms.limits"),
        {
            "margin": [0, 1.5], "[ft]pr": [0], "limits.0.limit": [0], "*prevalence": [0], "rules.0.probability": [0],
            "rules.0.rule.threshold": [-1, 0, 1.5], "cost_f[pn]": [0, 1.5], "state.counts.*.*.*": [0, 1.5],
            "state.bets.*.*.*": [-1, 0, 1.5], "state.groups.*.*.*": [0, 1.5], "state.cases": [0], "state.decided.*": [0, 1.5],
            "state.flagged.*": [0, 1.5], "state.looks": [0], "state.seen.0.checksum": ["text", ""], "state.seen.0.period": [0],
            "state.labelled.0": ["text", ""], "state.history.0.at": ["text", ""], "state.history.0.batch": ["text", ""],
            "state.history.0.cases": [0], "state.history.0.labels": [0, 1.5], "state.history.0.[lbr]e*": [0, 1.5],
            "state.history.0.limits": [0, 1.5], "state.history.0.pvalue": [0], "state.alarms.limits": ["text", "", None], "condition": ["text", ""],
            "max_weight": [1.5], "has_costs": [False, True],
        },
    ),
    "pav": Kind(
        rh.PavCalibrator, cases.pav(), {**ABOUT, ("pos_label",): 1},
        ("about.from", "scores.3"), {"pos_label": PAV_LABELS, "bound": [None]},
    ),
    "logistic": Kind(
        rh.LogisticCalibrator, cases.LOGISTIC, {**ABOUT, ("pos_label",): 1},
        fits={"pos_label": PAV_LABELS, "slope": [-1, 0], "intercept": [-1, 0], "fitted_at": [None]},
    ),
    "beta": Kind(
        rh.BetaCalibrator, cases.BETA, {**ABOUT, ("pos_label",): 1},
        fits={"pos_label": PAV_LABELS, "[ab]": [0], "intercept": [-1, 0], "fitted_at": [None]},
    ),
    "multi-class calibrator": Kind(
        rh.multiclass.MulticlassCalibrator, cases.multiclass_calibrator(),
        {**ABOUT, ("priors",): [0.2, 0.3, 0.5]},
        fits={"classes.?": [1.5, "text", ""], "classes.0": [False], "classes.1": [True]},
    ),
}  # fmt: skip


@pytest.fixture(params=KINDS, scope="module")
def kind(request: pytest.FixtureRequest) -> Kind:
    return KINDS[request.param]


def test_the_document_is_valid(kind: Kind) -> None:
    text = dumped(kind.document)
    made = kind.cls.from_json(text)
    for given in (text.encode(), b"\xef\xbb\xbf" + text.encode()):
        assert kind.cls.from_json(given).to_json() == made.to_json()
    assert json.loads(made.to_json()) == json.loads(text)


def test_nothing_can_be_removed(kind: Kind) -> None:
    for path in kind.paths:
        text = changed(kind.document, path, remove)
        if any(fnmatchcase(named(path), place) for place in kind.may_go):
            kind.cls.from_json(text)
            continue
        message = re.sub(r": the [a-z-]+ is not valid at ", ".", refusal(kind.cls, text))
        if path[-1] == "format":
            assert "this is not a" in message
        elif path[-1] in (
            "singles",
            "every_threshold",
        ):  # of the policy within, which has a checksum of its own
            assert "was changed after it was written" in message
        elif path[-1] == "rates":
            assert "load it as a SavedPlan" in message
        elif isinstance(path[-1], str) and not {"rules", "rule"} & {*path}:
            assert f"{named(path)}: the field is required." in message


def test_no_type_can_be_changed(kind: Kind) -> None:
    for path in kind.paths:
        original: Any = kind.document
        for key in path:
            original = original[key]
        for junk in JUNK:
            if type(junk) is type(original) and junk not in NO_NUMBERS:
                continue  # other values of a type are for the tests of each kind
            text = put(kind.document, path, junk)
            if kind.takes(path, junk):
                kind.cls.from_json(text)
            else:
                refusal(kind.cls, text)


def test_no_field_can_be_added(kind: Kind) -> None:
    for path in [(), *kind.paths]:
        found = copy.deepcopy(kind.document)
        holder: Any = found
        for key in path:
            holder = holder[key]
        if isinstance(holder, dict):
            holder["import\nos"] = 1
            what = (
                "import os: it must be text"
                if path[-1:] == ("about",)
                else "import os: there is no such field"
            )
            assert what in refusal(kind.cls, dumped(found))
        elif isinstance(holder, list):
            holder.append({"surprise": 1})
            refusal(kind.cls, dumped(found))


def test_any_edit_is_refused(kind: Kind) -> None:
    sealed = json.loads(dumped(kind.document))
    kind.cls.from_json(json.dumps(sealed, sort_keys=True, indent=3))  # only the contents count
    for path, value in kind.edits.items():
        found = copy.deepcopy(sealed)
        holder: Any = found
        for key in path[:-1]:
            holder = holder[key]
        holder[path[-1]] = value
        assert "its checksum is not that of its contents" in refusal(kind.cls, json.dumps(found))
    del sealed["checksum"]
    assert "checksum" in refusal(kind.cls, json.dumps(sealed))


def test_every_truncation_is_refused(kind: Kind) -> None:
    text = dumped(kind.document)
    for size in range(len(text)):
        assert "Invalid JSON: " in refusal(kind.cls, text[:size])


def test_flipped_characters_never_crash(kind: Kind) -> None:
    """Whatever one character becomes, there is an object or a refusal."""
    text = json.dumps(kind.document)
    for i in range(0, len(text), 1 + len(text) // 2_500):
        for character in some('"}x9-'[i % 5 :] + '"}x9-'[: i % 5], 1):
            found = text[:i] + character + text[i + 1 :]
            with contextlib.suppress(json.JSONDecodeError, RecursionError):
                found = dumped(json.loads(found))
            with contextlib.suppress(kind.cls.refusal):
                assert isinstance(kind.cls.from_json(found), kind.cls)


@pytest.mark.parametrize(
    "text", ["", b"", "{", "[]", "null", "3", '"text"', "{}", b"\xff\xfe", "[" * 100_000]
)
def test_other_texts(kind: Kind, text: str | bytes) -> None:
    refusal(kind.cls, text)


def test_load_names_the_file_and_runs_no_code(kind: Kind, tmp_path: Path) -> None:
    path = tmp_path / "pickle.json"
    path.write_bytes(b"cos\nsystem\n(S'touch " + str(tmp_path / "ran").encode() + b"'\ntR.")
    with pytest.raises(kind.cls.refusal) as caught:
        kind.cls.load(path)
    assert re.fullmatch(
        f"{re.escape(str(path))}: the [a-z -]+ is not valid: Invalid JSON.*", str(caught.value)
    )
    assert not (tmp_path / "ran").exists()


SCORES = np.array([-math.inf, -1.0, 0.0, 0.5, 1.0, 2.5, 3.0, 6.0, 7.0, math.inf])


def used(made: Any) -> None:
    """Ask a policy, knob or calibrator for what it is there for."""
    columns = dict.fromkeys(getattr(made, "classifiers", ()), SCORES)
    match made:
        case rh.Policy():
            columns = dict.fromkeys(made.hull.classifiers, SCORES)
            for condition in (rh.NeymanPearson(0.3), rh.ExpectedCost(1, 3, 0.3)):
                made.decide(columns, condition, deterministic=True)
                made.to_sql(condition, "duckdb", key="k")
        case rh.groups.GroupPolicy():
            made.decide(columns, ["a"] * SCORES.size, random_state=0)
        case rh.policies.SavedPlan():
            made.decide(columns, random_state=0)
            made.to_sql("duckdb", key="k")
        case rh.segments.SegmentPolicy():
            aux = {name: [0.75] * SCORES.size for name in made.features}
            made.decide(columns, rh.NeymanPearson(0.3), aux=aux, deterministic=True)
            made.to_sql(rh.NeymanPearson(0.3), "duckdb", key="k")
        case rh.multiclass.MulticlassPolicy():
            made.decide(np.eye(len(made.classes)), "max_error", random_state=0)
        case rh.Knob():
            made.decide(dict.fromkeys(made.policy.hull.classifiers, SCORES), random_state=0)
            made.feedback(presented=10, alarms=3, false_alarms=1)
        case rh.Monitor():
            names = dict.fromkeys(made.policy.classifiers, SCORES)
            made.update(names, [1, 0] * (SCORES.size // 2) + [1] * (SCORES.size % 2))
            assert str(made)
        case rh.multiclass.MulticlassCalibrator():
            made.posterior(np.eye(3))
        case _:
            made.posterior(SCORES[1:-1], prevalence=0.3)


def attack(kind: Kind, seed: int, times: int) -> int:
    """How many mutated documents load; each of those is used, and written as it is read."""
    rng, loaded = random.Random(seed), 0
    for _ in range(times):
        text = mutated(kind.document, rng)
        try:
            made = kind.cls.from_json(text)
        except kind.cls.refusal as error:
            message = str(error)
            assert message.isprintable(), text
            assert len(message) < 400, text
            continue
        loaded += 1
        written = made.to_json()
        assert kind.cls.from_json(written).to_json() == written
        try:
            used(made)
        except ValueError:
            continue
        except Exception as error:
            raise AssertionError(text) from error
    return loaded


@pytest.mark.long
@pytest.mark.filterwarnings("ignore")
def test_mutated_documents_are_refused_or_decide(kind: Kind) -> None:
    """The attack that is logged on the page of evidence, in short."""
    assert attack(kind, seed=0, times=200) > 0
