"""PAV as calibrator and as yardstick: naive Bayes on Adult, five calibrators, every proper scoring rule
=====================================================================================================

Brümmer & du Preez (2013): no monotone calibration of the data does better than PAV, under any proper
scoring rule and any prior. Held out that need not be so. Run it::

    python examples/calibrators_compared.py [directory for the picture]
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import rochull as rh

RULES = {
    "Brier": rh.Brier(),
    "log (nats)": rh.LogScore(),
    "cost at 0.1": rh.CostWeighted(0.1),
    "cost at 0.9": rh.CostWeighted(0.9),
    "boosting": rh.BetaScore(0.5, 0.5),
    "uneven": rh.BetaScore(2, 5),
    "two costs": rh.ScoringRule.from_thresholds([0.2, 0.6], [0.5, 0.5]),  # not convex
}
CALIBRATORS = {
    "PAV": rh.PavCalibrator(bound="misleading"),
    "PAV, linear": rh.PavCalibrator(interpolation="linear", bound="misleading"),
    "PAV, strict": rh.PavCalibrator(bound="misleading", strict=True),
    "logistic": rh.LogisticCalibrator(),
    "beta": rh.BetaCalibrator(),
}

table = rh.datasets.load("adult_scores")
y = np.asarray(table["income"] == ">50K").astype(int)
score = np.asarray(table["naive_bayes"])
half = np.random.default_rng(0).permutation(y.size) % 2 == 0
# Platt's line is one in log-odds; a map of ranks such as PAV does not care.
log_odds = np.log(np.clip(score, 1e-9, 1)) - np.log(np.clip(1 - score.astype(float), 1e-9, 1))
read = {name: log_odds if name == "logistic" else score for name in CALIBRATORS}
fitted = {name: made.fit(read[name][half], y[half]) for name, made in CALIBRATORS.items()}


def show(title: str, rows: np.ndarray) -> None:
    """One line a rule: the loss of the raw scores, of every calibrator, and the least possible."""
    hull = rh.roc_hull(y[rows], score[rows])
    print(f"\n{title}")
    print(f"{'':12}{'raw':>9}" + "".join(f"{name:>13}" for name in fitted) + f"{'least':>9}")
    for name, rule in RULES.items():
        raw = rule.score(y[rows], score[rows])
        losses = [rule.score(y[rows], found.posterior(read[c][rows])) for c, found in fitted.items()]
        least = rule.minimum(hull)
        assert least <= min(raw, *losses) + 1e-12, "PAV is the best of all monotone maps"
        print(f"{name:12}{raw:9.4f}" + "".join(f"{loss:13.4f}" for loss in losses) + f"{least:9.4f}")
    areas = [rh.roc_auc(y[rows], found.llr(read[c][rows])) for c, found in fitted.items()]
    print(f"{'AUC':12}{rh.roc_auc(y[rows], score[rows]):9.4f}" + "".join(f"{area:13.4f}" for area in areas))


show("Mean loss on the half that the calibrators were fitted on (in-sample)", half)
show("Mean loss on the other half (held out)", ~half)
llr = fitted["PAV"].llr(score[~half])
print(f"\nheld out, PAV: Cllr {rh.cllr(y[~half], llr):.4f} bits, least {rh.min_cllr(y[~half], llr):.4f}")

figure, axes = plt.subplots(2, 2, figsize=(10, 9), layout="constrained")
rh.plotting.ReliabilityDisplay.from_predictions(y[~half], score[~half], random_state=0, ax=axes[0, 0])
axes[0, 0].set_title("Raw scores as probabilities (held out)")
rh.plotting.ReliabilityDisplay.from_predictions(
    y[~half], fitted["PAV"].posterior(score[~half]), random_state=0, ax=axes[0, 1]
)
axes[0, 1].set_title("After PAV (held out)")
shown = {name: fitted[name] for name in ("PAV", "beta")}
rh.plotting.ScoreToLlrDisplay.from_predictions(y[half], score[half], calibrators=shown, ax=axes[1, 0])
axes[1, 0].set_title("The maps")
rh.plotting.BayesErrorDisplay.from_predictions(y[~half], llr, ax=axes[1, 1])
axes[1, 1].set_title("Cost of PAV's LLRs at every prior (held out)")
directory = Path(sys.argv[1] if len(sys.argv) > 1 else "build/examples")
directory.mkdir(parents=True, exist_ok=True)
figure.savefig(directory / "calibrators_compared.png", dpi=110)
print(f"picture: {directory / 'calibrators_compared.png'}")
