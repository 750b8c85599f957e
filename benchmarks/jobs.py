"""The jobs of the page: each is done by rochull and by others, and their results are compared first.

A contender takes a sample and returns what it found, as numbers. `agree` says by how much the peers' numbers
may differ from rochull's. A peer has the largest size that it is asked for: what takes it tens of seconds
says nothing more.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from shutil import which
from typing import Any

import numpy as np

import rochull as rh
from benchmarks import groups, inputs
from benchmarks.clock import Contender
from benchmarks.inputs import Sample
from benchmarks.processes import output

Work = Callable[[Sample], Any]


@dataclass(frozen=True)
class Peer:
    """Another library's way: how to do it, up to which size, and what may differ."""

    work: Work
    largest: int
    within: float = 1e-9  # how far its numbers may be from ours
    alike: Callable[[Any, Any], bool] | None = None  # in place of numbers
    timed: Callable[[Sample], Contender] | None = None  # if it measures itself, in another process


@dataclass(frozen=True)
class Job:
    """One job, for all sizes."""

    title: str
    text: str
    ours: Work
    largest: int
    peers: Mapping[str, Peer] = field(default_factory=dict)
    forecasts: bool = False  # the scores are probabilities

    def sample(self, rows: int) -> Sample:
        """Normal scores, or these as probabilities."""
        drawn = inputs.normal(rows, inputs.PREVALENCES[0])
        return inputs.probabilities(drawn) if self.forecasts else drawn


def close(ours: Any, theirs: Any, within: float) -> bool:
    """Whether numbers, or arrays of them, agree."""
    a, b = np.asarray(ours, float), np.asarray(theirs, float)
    return a.shape == b.shape and bool(np.allclose(a, b, rtol=0, atol=within))


# --- others -------------------------------------------------------------------------------------------


def isotonic(sample: Sample) -> Any:
    """scikit-learn's PAV: the distinct values of its fit."""
    from sklearn.isotonic import IsotonicRegression

    return IsotonicRegression().fit(sample.scores, sample.labels)


def same_blocks(hull: rh.RocHull, fitted: Any) -> bool:
    """Whether both have the same posteriors, block by block."""
    theirs = np.unique(fitted.y_thresholds_.round(12))
    return close(np.sort(hull.blocks.posterior).round(12), theirs, 1e-9)


def llreval_hull(sample: Sample) -> Any:
    """llreval's PAV, and its hull."""
    peer = import_module("llreval.pav_rocch")
    return peer.ROCCH(peer.PAV(sample.scores, sample.labels))


def same_hull(hull: rh.RocHull, other: Any) -> bool:
    """Whether the vertices are the same."""
    miss, false = other.PmissPfa
    theirs = sorted(zip(np.asarray(false).tolist(), (1 - np.asarray(miss)).tolist(), strict=True))
    return close(sorted(zip(hull.fpr.tolist(), hull.tpr.tolist(), strict=True)), theirs, 1e-9)


def sklearn_area(sample: Sample) -> float:
    """scikit-learn's area."""
    from sklearn.metrics import roc_auc_score

    return float(roc_auc_score(sample.labels, sample.scores))


def torch_area(sample: Sample) -> float:
    """The area by torchmetrics, at all thresholds, on the CPU."""
    torch, peer = import_module("torch"), import_module("torchmetrics.functional.classification")
    found = peer.binary_auroc(torch.from_numpy(sample.scores), torch.from_numpy(sample.labels))
    return float(found)


def sklearn_curve(sample: Sample) -> Any:
    """scikit-learn's curve with every point."""
    from sklearn.metrics import roc_curve

    return roc_curve(sample.labels, sample.scores, drop_intermediate=False)


def same_curve(curve: Any, other: Any) -> bool:
    """Whether every point is the same."""
    return close(curve.fpr, other[0], 1e-12) and close(curve.tpr, other[1], 1e-12)


def sklearn_youden(sample: Sample) -> float:
    """The largest TPR less FPR among the points of scikit-learn's curve."""
    fpr, tpr, _ = sklearn_curve(sample)
    return float((tpr - fpr).max())


def llreval_cllr(sample: Sample) -> float:
    """llreval's minimum of Cllr."""
    peer = import_module("llreval.pav_rocch")
    return float(import_module("llreval.cllr").min_cllr(peer.PAV(sample.scores, sample.labels)))


def lir_cllr(sample: Sample) -> float:
    """The minimum of Cllr by lir."""
    data = import_module("lir.data.models").LLRData(
        features=sample.scores[:, None], labels=sample.labels.astype(int)
    )
    return float(import_module("lir.metrics").cllr_min(data))


def diagnostics(sample: Sample) -> Any:
    """The decomposition of the squared error by model-diagnostics."""
    peer = import_module("model_diagnostics.scoring")
    found = peer.decompose(sample.labels, sample.scores, scoring_function=peer.SquaredError())
    return [float(found[name][0]) for name in ("miscalibration", "discrimination", "uncertainty")]


def decomposed(sample: Sample) -> Any:
    """Ours, in the same order."""
    found = rh.decompose(sample.labels, sample.scores)
    return [found.miscalibration, found.discrimination, found.uncertainty]


def halves(sample: Sample) -> tuple[Sample, Sample]:
    """A part to fit on, and a part to predict."""
    middle = sample.scores.size // 2
    parts = [Sample(sample.labels[at], sample.scores[at]) for at in (slice(middle), slice(middle, None))]
    return parts[0], parts[1]


def venn_abers(sample: Sample) -> Any:
    """Intervals by the package venn-abers."""
    (fitted, new), model = halves(sample), import_module("venn_abers").VennAbers()
    model.fit(np.column_stack([1 - fitted.scores, fitted.scores]), fitted.labels)
    return model.predict_proba(np.column_stack([1 - new.scores, new.scores]))[1]


def our_venn_abers(sample: Sample) -> Any:
    """The same intervals."""
    fitted, new = halves(sample)
    return np.column_stack(rh.VennAbers().fit(fitted.scores, fitted.labels).interval(new.scores))


def people(sample: Sample) -> groups.Population:
    """Four groups; made once for each size, and kept until another is asked for."""
    return _population(sample.scores.size)


_made: dict[int, groups.Population] = {}


def _population(rows: int) -> groups.Population:
    if rows not in _made:
        _made.clear()
        _made[rows] = groups.population(rows)
    return _made[rows]


def our_groups(sample: Sample) -> float:
    """The least error rate with equalised odds."""
    found = people(sample)
    return float(rh.constrain_groups(found.hulls(), found.condition, "equalised_odds").cost)


def fairlearn(sample: Sample) -> Any:
    """fairlearn's optimiser, fitted on its grid."""
    return groups.fairlearn(people(sample), "equalised_odds")


def no_better(ours: float, theirs: Any) -> bool:
    """Whether the grid's error rate is ours, or a little higher."""
    (population,) = _made.values()
    gap = groups.error_rate(population, theirs) - ours
    return -1e-9 <= gap <= 2e-2


def our_limit(sample: Sample) -> float:
    """The threshold of largest recall whose false positive rate is 0.1 at most, with 90 % confidence."""
    curve = rh.roc_curve(sample.labels, sample.scores)
    hull = rh.RocHull.from_curve(curve)
    point = hull.at(rh.NeymanPearson(max_fpr=0.1, confidence=0.9), deterministic=True)
    (rule, _), *_ = point.rules
    return float(rule.threshold if rule.threshold is not None else np.inf)


def mapie(sample: Sample) -> float:
    """The same limit by MAPIE, on 100 thresholds, which it tests from the highest down."""
    peer = import_module("mapie.risk_control").BinaryClassificationController
    control = peer(
        lambda x: np.column_stack([1 - x[:, 0], x[:, 0]]),
        "fpr",
        0.1,
        confidence_level=0.9,
        best_predict_param_choice="recall",
        list_predict_params=np.linspace(0.99, 0.4, 100),
        fwer_method="fixed_sequence",
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        control.calibrate(sample.scores[:, None], sample.labels)
    return float(control.best_predict_param)


def nearly(ours: float, theirs: float) -> bool:
    """Whether two thresholds of a limit are near each other: the peer's is one of a grid."""
    return abs(ours - theirs) < 0.05


def our_band(sample: Sample) -> Any:
    """Ours: its mean width between false positive rates of 0.1 and 0.9, and whether it holds the truth."""
    found = rh.roc_band(sample.labels, sample.scores, random_state=0, progress=False)
    return _width(found.fpr, found.low, found.high)


def rocci(sample: Sample) -> Any:
    """rocci's, by its default method."""
    found = import_module("rocci").roc_band(sample.labels, sample.scores, random_state=0)
    return _width(found.fpr, found.lower, found.upper)


def _width(fpr: Any, low: Any, high: Any) -> float:
    inside = (np.asarray(fpr) >= 0.1) & (np.asarray(fpr) <= 0.9)
    return float((np.asarray(high) - np.asarray(low))[inside].mean())


def as_wide(ours: float, theirs: float) -> bool:
    """Whether neither band is more than twice as wide."""
    return 0.5 < ours / theirs < 2


# --- R ------------------------------------------------------------------------------------------------

_R = """
suppressMessages({{library({package})}})
file <- file("{path}", "rb"); n <- {rows}
y <- readBin(file, "double", n); s <- readBin(file, "double", n)
took <- sum(system.time(found <- {{ {code} }})[c("user.self", "sys.self")])
cat(format(c(took, found), digits = 17), "\\n")
"""
_PROC = (
    "pROC",
    "roc <- roc(y, s, levels = c(0, 1), direction = '<', quiet = TRUE); {asked}",
)
_CUTPOINTR = (
    "cutpointr",
    "x <- cutpointr(data.frame(s = s, y = y), s, y, pos_class = 1, neg_class = 0, direction = '>=', "
    "metric = youden, silent = TRUE); x$youden",
)


def in_r(package: str, code: str) -> Callable[[Sample], list[float]]:
    """Core seconds by R's own clock, and what it found."""

    def run(sample: Sample) -> list[float]:
        if which("Rscript") is None:
            raise ImportError("Rscript is not at hand")
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "sample"
            np.concatenate([sample.labels.astype(float), sample.scores]).tofile(path)
            script = _R.format(package=package, path=path, rows=sample.scores.size, code=code)
            done = subprocess.run(["Rscript", "-e", script], capture_output=True, text=True, check=False)
        if done.returncode:
            raise ImportError((done.stderr.strip().splitlines() or ["it failed"])[-1])
        return [float(word) for word in done.stdout.split()]

    return run


def r_peer(package: str, code: str, largest: int, within: float = 1e-9) -> Peer:
    """A peer in R, which is timed there: neither R's start nor the way of the data counts."""
    run = in_r(package, code)

    def found(sample: Sample) -> Any:
        values = run(sample)[1:]
        return values[0] if len(values) == 1 else values

    return Peer(found, largest, within, timed=lambda sample: lambda: run(sample)[0])


# --- NannyML, which may need an interpreter of its own -------------------------------------------------

_NANNYML = """
import sys, time, warnings
warnings.simplefilter("ignore")
import numpy as np, pandas as pd, nannyml
n, threshold = int(sys.argv[2]), float(sys.argv[3])
y, p = np.fromfile(sys.argv[1]).reshape(2, n)
frame = pd.DataFrame({"y": y.astype(int), "p": p, "called": (p >= threshold).astype(int)})
begin = time.process_time()
model = nannyml.CBPE(y_true="y", y_pred="called", y_pred_proba="p", problem_type="classification_binary",
                     metrics=["precision"], chunk_number=1).fit(frame[: n // 2])
found = model.estimate(frame[n // 2 :]).filter(period="analysis").to_df()
took = time.process_time() - begin
print(took, found[("precision", "value")].iloc[-1])
"""


def our_precision(sample: Sample) -> float:
    """The precision among new cases, from their scores alone: their prevalence is estimated first."""
    (old, new), threshold = halves(sample), _level(sample)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        calibrator = rh.PavCalibrator(bound="laplace").fit(old.scores, old.labels)
        share = rh.estimate_prevalence(new.scores, calibrator).estimate
    called = old.scores >= threshold
    tpr, fpr = (float(called[old.labels == label].mean()) for label in (1, 0))
    return share * tpr / (share * tpr + (1 - share) * fpr)


def _level(sample: Sample) -> float:
    return float(np.quantile(sample.scores[: 10**5], 0.8))


def _nannyml(sample: Sample) -> list[float]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "sample"
        np.concatenate([sample.labels.astype(float), sample.scores]).tofile(path)
        python = os.environ.get("NANNYML_PYTHON", sys.executable)
        said = output(
            python,
            "-c",
            _NANNYML,
            str(path),
            str(sample.scores.size),
            str(_level(sample)),
            env={"PYTHONPATH": ""},
        )
    return [float(word) for word in said.split()[-2:]]


def about(ours: float, theirs: float) -> bool:
    """Whether two estimates of a rate are near each other."""
    return abs(ours - theirs) < 0.1


# --- the jobs -----------------------------------------------------------------------------------------


def our_interval(sample: Sample) -> Any:
    """DeLong's interval, as pROC prints it."""
    found = rh.auc_interval(sample.labels, sample.scores, "delong")
    return [found.low, found.estimate, found.high]


def our_youden(sample: Sample) -> float:
    """The largest TPR less FPR."""
    point = rh.roc_hull(sample.labels, sample.scores).at(rh.Youden())
    return float(point.tpr - point.fpr)


JOBS = {
    "hull": Job(
        "Convex hull, which is PAV",
        "`rh.roc_hull`. The same posteriors, block by block, as scikit-learn's `IsotonicRegression`; the "
        "same vertices as llreval's `ROCCH(PAV)`.",
        lambda s: rh.roc_hull(s.labels, s.scores),
        10**8,
        {
            "scikit-learn": Peer(isotonic, 10**7, alike=same_blocks),
            "llreval": Peer(llreval_hull, 10**6, alike=same_hull),
        },
    ),
    "area": Job(
        "Area under the curve, exactly",
        "`rh.roc_auc`; scikit-learn's `roc_auc_score`, torchmetrics' `binary_auroc` on the CPU (which adds "
        "in float32: to 10⁻⁴), pROC's `auc(roc(...))`.",
        lambda s: rh.roc_auc(s.labels, s.scores),
        10**8,
        {
            "scikit-learn": Peer(sklearn_area, 10**7),
            "torchmetrics": Peer(torch_area, 10**7, 1e-4),
            "pROC": r_peer(_PROC[0], _PROC[1].format(asked="as.numeric(auc(roc))"), 10**6),
        },
    ),
    "curve": Job(
        "Every point of the ROC curve",
        "`rh.roc_curve`; scikit-learn's `roc_curve(drop_intermediate=False)`, the same points.",
        lambda s: rh.roc_curve(s.labels, s.scores),
        10**7,
        {"scikit-learn": Peer(sklearn_curve, 10**7, alike=same_curve)},
    ),
    "threshold": Job(
        "Best threshold by Youden's index",
        "`rh.roc_hull(...).at(rh.Youden())`; the maximum over scikit-learn's `roc_curve`; cutpointr with "
        "`metric = youden`.",
        our_youden,
        10**7,
        {"scikit-learn": Peer(sklearn_youden, 10**7), "cutpointr": r_peer(*_CUTPOINTR, 10**5)},
    ),
    "cllr": Job(
        "Least Cllr of a monotone recalibration",
        "`rh.min_cllr`; llreval's `min_cllr(PAV)`; lir's `cllr_min` (compared to 10⁻³).",
        lambda s: rh.min_cllr(s.labels, s.scores),
        10**8,
        {"llreval": Peer(llreval_cllr, 10**6), "lir": Peer(lir_cllr, 10**6, 1e-3)},
    ),
    "decompose": Job(
        "Miscalibration, discrimination, uncertainty",
        "`rh.decompose` with the Brier score; model-diagnostics' `decompose` with the squared error.",
        decomposed,
        10**7,
        {"model-diagnostics": Peer(diagnostics, 10**6)},
        forecasts=True,
    ),
    "venn-abers": Job(
        "Venn-Abers intervals",
        "`rh.VennAbers`: half of the rows fit, the other half is predicted; the package venn-abers, the same "
        "intervals.",
        our_venn_abers,
        10**6,
        {"venn-abers": Peer(venn_abers, 10**5, 1e-9)},
        forecasts=True,
    ),
    "groups": Job(
        "Equalised odds in four groups",
        "`rh.constrain_groups`, hulls included; fairlearn's `ThresholdOptimizer` on its grid of 1,000 "
        "points. Our error rate is never higher.",
        our_groups,
        10**7,
        {"fairlearn": Peer(fairlearn, 10**6, alike=no_better)},
    ),
    "interval": Job(
        "DeLong's interval of an area",
        '`rh.auc_interval(..., "delong")`; pROC\'s `ci.auc`.',
        our_interval,
        10**7,
        {"pROC": r_peer(_PROC[0], _PROC[1].format(asked="as.numeric(ci.auc(roc))"), 10**6)},
    ),
    "limit": Job(
        "A limit that holds in the population",
        "The threshold of largest recall with a false positive rate of at most 0.1, with 90 % confidence: "
        "`rh.NeymanPearson(0.1, confidence=0.9)`, over all thresholds; MAPIE's "
        "`BinaryClassificationController`, over 100. The thresholds are within 0.05 of each other.",
        our_limit,
        10**7,
        {"MAPIE": Peer(mapie, 10**6, alike=nearly)},
        forecasts=True,
    ),
    "band": Job(
        "A band that holds the whole curve",
        "`rh.roc_band`, simultaneous, 2,000 resamples; rocci's `roc_band`, 2,000 too. Their methods differ: "
        "neither band is more than twice as wide as the other.",
        our_band,
        10**6,
        {"rocci": Peer(rocci, 10**5, alike=as_wide)},
    ),
    "unlabelled": Job(
        "Precision among cases without labels",
        "`rh.estimate_prevalence` and the rates of the labelled half; NannyML's `CBPE` of one chunk, which "
        "calibrates instead. The estimates are within 0.1 of each other.",
        our_precision,
        10**7,
        {
            "NannyML": Peer(
                lambda s: _nannyml(s)[1], 10**5, alike=about, timed=lambda s: lambda: _nannyml(s)[0]
            )
        },
        forecasts=True,
    ),
}
