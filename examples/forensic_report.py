"""A forensic evaluator's page: two systems fused, bounded, validated, and one case
=====================================================================================

Pairs of recordings are compared by two systems, of which each hears something else; the longer a recording,
the more is known. Reference pairs fit, validation pairs judge, and a case is neither. The page says
what a validation report is asked for (Meuwly, Ramos & Haraksim 2017): how well the systems discriminate,
Cllr with intervals, bounds that the data bear out, Tippett and ECE plots, and likelihood ratios of the case.

- Logistic fusion at even prior odds: one LLR out of two scores and a quality measure.
- Its LLRs are bounded by ELUB and by invariance verification; the narrower of the two is saved.
- Cllr of each system by itself and of the fusion, on pairs that neither fitted; the difference is paired.
- The saved map is applied on the command line, to a file of cases, and says the same as in Python.

Run it::

    python examples/forensic_report.py [directory for the page]
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import rochull as rh
from rochull.cli import main

SYSTEMS = ["voice", "phonetic", "minutes"]


def pairs(seed, same, different):
    """Scores of pairs from the same speaker (1) and from different ones (0), and how long they speak."""
    rng = np.random.default_rng(seed)
    y = np.repeat([1, 0], [same, different])
    minutes = rng.uniform(0.2, 4, y.size)
    voice = rng.normal(y * (1.2 + 0.5 * minutes), 1)
    return y, pd.DataFrame({"voice": voice, "phonetic": rng.normal(50 + 16 * y, 10), "minutes": minutes})


def interval(found):
    """An estimate with its interval."""
    return f"{found.estimate:.3f} ({found.low:.3f} to {found.high:.3f})"


directory = Path(sys.argv[1] if len(sys.argv) > 1 else "build/examples")
directory.mkdir(parents=True, exist_ok=True)
(y, reference), (y_new, validation) = pairs(1, 300, 3000), pairs(2, 300, 3000)

# --- calibrate: each system by itself, and both
single = {name: rh.LogisticCalibrator(0.5, bound="elub").fit(reference[name], y) for name in SYSTEMS[:2]}
fusions = {bound: rh.LogisticFusion(0.5, bound=bound).fit(reference, y) for bound in ("elub", "invariance")}
width = {bound: made.bounds_[1] - made.bounds_[0] for bound, made in fusions.items()}
chosen = fusions[min(width, key=width.get)]
llr = {name: made.llr(validation[name]) for name, made in single.items()} | {"fusion": chosen.llr(validation)}

# --- validate
lines = ["system       Cllr, bits, and 95 % interval     least Cllr     EER    misleading: same, different"]
for name, found in llr.items():
    cost = interval(rh.bootstrap(y_new, found, "cllr", n_resamples=400, random_state=0))
    wrong = np.mean(found[y_new == 1] < 0), np.mean(found[y_new == 0] > 0)
    lines.append(
        f"{name:10}   {cost:31}   {rh.min_cllr(y_new, found):10.3f}   {rh.eer(y_new, found):5.1%}"
        f"   {wrong[0]:16.1%}, {wrong[1]:9.1%}"
    )
gain = rh.bootstrap(y_new, llr, lambda x: x.cllr("voice") - x.cllr("fusion"), n_resamples=400, random_state=0)
lines.append(f"fusion costs less than voice by {interval(gain)} bits")
lines.append("")
for bound, made in fusions.items():
    low, high = np.array(made.bounds_) / np.log(10)
    saved = "   (saved)" if made is chosen else ""
    lines.append(f"bounds by {bound:10}   log10 LR from {low:.2f} to {high:.2f}{saved}")

# --- a case, on the command line
chosen.save(
    directory / "fusion.json",
    about={"system": "voice and phonetic 2.1", "pairs": "300 same, 3,000 different"},
)
cases = pd.DataFrame(
    {"case": ["A", "B", "C"], "voice": [2.4, 0.3, 4.1], "phonetic": [63, 41, 81], "minutes": [1.5, 3, 3.8]}
)
cases.to_csv(directory / "cases.csv", index=False)
given = [str(directory / name) for name in ("cases.csv", "fusion.json", "cases_llr.csv")]
assert main(["calibrate", given[0], "--apply", given[1], "-o", given[2]]) == 0
said = pd.read_csv(given[2])
assert np.allclose(said["llr"], rh.load_calibrator(given[1]).llr(cases[SYSTEMS]), rtol=1e-12)
lines.append("")
for row in said.itertuples():
    how = {"upper": "at least ", "lower": "at most "}.get(row.bound, "")
    lines.append(f"case {row.case}: log10 LR {how}{row.log10_lr:.1f}")
text = "\n".join(lines)
print(text)

# --- the page
plt.rcParams.update({"font.size": 8})
figure = plt.figure(figsize=(8.3, 10), layout="constrained")
top, middle, bottom = figure.subfigures(3, 1, height_ratios=[0.62, 1, 1.15])
top.text(0.03, 0.88, "Validation of voice and phonetic comparison, fused", fontsize=13, weight="bold")
top.text(0.03, 0.8, text, family="monospace", fontsize=7.5, va="top")
(tippett, ece), (det, reliability) = (part.subplots(1, 2) for part in (middle, bottom))
rh.plotting.TippettDisplay.from_predictions(y_new, llr["fusion"], base=10, ax=tippett)
rh.plotting.EceDisplay.from_predictions(y_new, llr["fusion"], base=10, ax=ece)
for name, found in llr.items():
    rh.plotting.DetDisplay.from_predictions(y_new, found, name=name, ax=det)
posterior = chosen.posterior(validation, prevalence=y_new.mean())
rh.plotting.ReliabilityDisplay.from_predictions(y_new, posterior, confidence=0.95, ax=reliability)
titles = {
    tippett: "Tippett plot", ece: "Empirical cross-entropy", det: "Detection error trade-off",
    reliability: "Posteriors at the validation's prevalence",
}  # fmt: skip
for axes, title in titles.items():
    axes.set_title(title, loc="left", weight="bold")
figure.savefig(directory / "forensic_report.png", dpi=110)
print(f"\npage: {directory / 'forensic_report.png'}")
