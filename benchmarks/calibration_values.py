"""What other libraries of calibration find, written down for tests/test_peers.py.

    pip install lir llreval netcal scikit-learn
    python -m benchmarks.calibration_values > tests/peers/calibration.json

All of it is of the out-of-fold probabilities "logistic" of the German credit data, or their log-odds.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from importlib import import_module
from importlib.metadata import version
from typing import Any

import numpy as np
from scipy.special import logit

import rochull as rh

AT = [0.05, 0.2, 0.5, 0.8, 0.95]
_TABLE = rh.datasets.load("german_credit_scores")
BAD = (_TABLE["class"] == "bad").astype(int)
FORECAST = np.asarray(_TABLE["logistic"], float)
LOG_ODDS, ASKED = logit(FORECAST), logit(AT)
LLR = LOG_ODDS - logit(BAD.mean())

Figures = Iterator[tuple[str, Any]]


def netcal() -> Figures:
    """Expected calibration errors, and maps."""
    scaling, binning = import_module("netcal.scaling"), import_module("netcal.binning")
    for bins in (10, 15):
        yield (
            f"expected calibration error, {bins} bins",
            import_module("netcal.metrics").ECE(bins).measure(FORECAST, BAD),
        )
    for name in ("TemperatureScaling", "BetaCalibration", "LogisticCalibration"):
        yield name, getattr(scaling, name)().fit(FORECAST, BAD).transform(np.array(AT))
    yield "IsotonicRegression", binning.IsotonicRegression().fit(FORECAST, BAD).transform(FORECAST[:9])


def scikit_learn() -> Figures:
    """Temperature scaling, and Platt's."""
    parts, frozen = import_module("sklearn.calibration"), import_module("sklearn.frozen")
    line = import_module("sklearn.linear_model").LogisticRegression().fit(LOG_ODDS[:, None], BAD)
    line.coef_, line.intercept_ = np.ones((1, 1)), np.zeros(1)  # its decision function is what it is given
    for method in ("temperature", "sigmoid", "isotonic"):
        model = parts.CalibratedClassifierCV(frozen.FrozenEstimator(line), method=method)
        yield method, model.fit(LOG_ODDS[:, None], BAD).predict_proba(ASKED[:, None])[:, 1]


def lir() -> Figures:
    """Maps of scores, bounds, and measures of LLRs; in powers of ten."""
    parts = {name: import_module(f"lir.algorithms.{name}") for name in (
        "kde", "logistic_regression", "isotonic_regression", "bayeserror", "invariance_bounds")}  # fmt: skip
    for name, made in (
        ("KDECalibrator", parts["kde"].KDECalibrator("silverman")),
        ("LogitCalibrator", parts["logistic_regression"].LogitCalibrator(C=1e12, tol=1e-12)),
        ("IsotonicCalibrator", parts["isotonic_regression"].IsotonicCalibrator(add_misleading=1)),
    ):
        yield name, made.fit(LOG_ODDS, BAD).transform(ASKED)
    yield "elub", parts["bayeserror"].elub(LLR / np.log(10), BAD, add_misleading=1, step_size=0.001)
    ratios = parts["invariance_bounds"].calculate_invariance_bounds(np.exp(LLR), BAD)[:2]
    yield "invariance bounds", np.log10(ratios)


def llreval() -> Figures:
    """PAV, its hull, and measures."""
    parts, cllr = import_module("llreval.pav_rocch"), import_module("llreval.cllr")
    pav = parts.PAV(LLR, BAD)
    yield "PAV, LLRs", np.unique(pav.llrs()[0])
    yield "hull, area", 1 - parts.ROCCH(pav).AUC()
    yield "hull, equal error rate", parts.ROCCH(pav).EER()
    yield "min_cllr", cllr.min_cllr(pav)
    yield "cllr", cllr.cllr(LLR[BAD == 1], LLR[BAD == 0])


def main() -> None:
    """Print all figures as JSON, by library."""
    warnings.simplefilter("ignore")
    found = {}
    for name, figures in {
        "netcal": netcal,
        "scikit-learn": scikit_learn,
        "lir": lir,
        "llreval": llreval,
    }.items():
        values = {what: np.asarray(value, float).ravel().tolist() for what, value in figures()}
        found[f"{name} {version(name)}"] = values
    print("{")
    for name, values in found.items():
        lines = ",\n".join(f"  {json.dumps(what)}: {json.dumps(value)}" for what, value in values.items())
        print(f" {json.dumps(name)}: {{\n{lines}\n }}{',' if name != [*found][-1] else ''}")
    print("}")


if __name__ == "__main__":
    main()
