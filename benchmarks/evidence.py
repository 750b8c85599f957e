"""Others' figures beside rochull's, on the data of R packages: docs/evidence.md says what comes out.

    Rscript benchmarks/evidence.R FOLDER       # writes the data, and what the packages find in them
    python -m benchmarks.evidence FOLDER       # a line for each figure: theirs, ours, the difference

The figures of a study with several readers are those that MRMCaov's authors print (R package 0.3.0, the
manuscript in its repository, section on covariance methods, DeLong): here `auc_covariance` gives them.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import f as f_distribution
from scipy.stats import t as t_distribution

import rochull as rh

Figures = Iterator[tuple[str, float]]
Columns = Mapping[str, np.ndarray[Any, Any]]

_MRMCAOV = {
    "treatment 1, mean area": 0.8970370, "treatment 2, mean area": 0.9408374,
    "difference of means": -0.04380032,
    "its interval, low": -0.0878671960, "its interval, high": 0.0002665519,
    "error variance": 0.0007921325, "Cov1": 0.0003420090, "Cov2": 0.0003395265, "Cov3": 0.0002358497,
    "MS(T)": 0.004796171, "MS(T:R)": 0.0005510306, "F": 4.484854, "df2": 15.06611, "p": 0.05123303,
}  # fmt: skip


_NIAMEY = {  # Dimitriadis, Gneiting & Jordan 2021, PNAS 118(8): mean score, miscalibration, discrimination
    "Logistic": (0.2057, 0.0171, 0.0555), "EMOS": (0.2320, 0.0183, 0.0305),
    "ENS": (0.2662, 0.0661, 0.0441), "EPC": (0.2343, 0.0223, 0.0323),
}  # fmt: skip
_PARTS = ("score", "miscalibration", "discrimination")


def read(path: Path) -> Columns:
    """A CSV file's columns, as numbers where they are."""
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    return {name: _numbers([row[name] for row in rows]) for name in rows[0]}


def _numbers(words: list[str]) -> np.ndarray[Any, Any]:
    try:
        return np.array([float(word) for word in words])
    except ValueError:
        return np.array(words)


def asah(table: Columns) -> Figures:
    """pROC's areas, DeLong's intervals and tests, a partial area, and Youden's best threshold."""
    poor, markers = table["poor"].astype(int), {name: table[name] for name in ("wfns", "s100b", "ndka")}
    spread = rh.uncertainty.auc_covariance(poor, markers)
    for i, (name, score) in enumerate(markers.items()):
        interval = rh.auc_interval(poor, score, "delong")
        yield f"area, {name}", interval.estimate
        yield f"DeLong's interval, low, {name}", interval.low
        yield f"DeLong's interval, high, {name}", interval.high
        yield f"variance, {name}", float(spread.covariance[i, i])
        corrected = rh.roc_auc(poor, score, max_fpr=0.1, mcclish=True)
        yield f"partial area, specificity 1 to 0.9, corrected, {name}", corrected
        best = rh.roc_hull(poor, score).at(rh.Youden(), deterministic=True)
        yield f"Youden, sensitivity, {name}", best.tpr
        yield f"Youden, specificity, {name}", 1 - best.fpr
    for a, b in (("wfns", "s100b"), ("wfns", "ndka"), ("ndka", "s100b")):
        test = rh.delong_test(poor, markers[a], markers[b])
        yield f"DeLong's test, z, {a} and {b}", test.statistic
        yield f"DeLong's test, p, {a} and {b}", test.pvalue


def suicide(table: Columns) -> Figures:
    """cutpointr's best cut-points of a sum of answers."""
    yes, dsi, gender = table["suicide"] == "yes", table["dsi"], table["gender"]
    everyone = np.ones(yes.size, bool)
    asked: list[tuple[str, Any, Any]] = [
        ("Youden", rh.Youden(), everyone),
        *((f"Youden, {who}", rh.Youden(), gender == who) for who in ("female", "male")),
        ("cost 1 : 10", rh.ExpectedCost(1, 10), everyone),
        ("F1", rh.FBeta(1), everyone),
        ("accuracy", rh.Accuracy(), everyone),
        ("specificity of 0.9 or more", rh.NeymanPearson(max_fpr=0.1), everyone),
        ("sensitivity of 0.9 or more", rh.MinimumRecall(0.9), everyone),
    ]
    for what, condition, part in asked:
        hull = rh.RocHull.from_curve(rh.roc_curve(yes[part], dsi[part]))
        best = hull.at(condition, deterministic=True)
        yield f"{what}, cutpoint", float(best.rules[0][0].threshold or 0)
        yield f"{what}, sensitivity", best.tpr
        yield f"{what}, specificity", 1 - best.fpr
        yield f"{what}, area", rh.roc_auc(yes[part], dsi[part])


def p10n10(table: Columns) -> Figures:
    """precrec's areas up to a false positive rate, of scores with ties."""
    yield "area", rh.roc_auc(table["label"].astype(int), table["score"])
    for end in (0.1, 0.25, 0.5):
        found = rh.roc_auc(table["label"].astype(int), table["score"], max_fpr=end)
        yield f"partial area to an FPR of {end}", found


def df_binary(table: Columns) -> Figures:
    """dcurves' net benefits, and the interventions avoided."""
    cancer, at = table["cancer"].astype(int), [0.05, 0.1, 0.15, 0.2, 0.3]
    for name in ("cancerpredmarker", "famhistory"):
        curve = rh.decision_curve(cancer, table[name], at)
        avoided = curve.interventions_avoided()
        for i, threshold in enumerate(at):
            yield f"net benefit at {threshold} {name}", float(curve.net_benefit[None].estimate[i])
            yield f"interventions avoided at {threshold} {name}", float(avoided[i])


def vandyke(table: Columns) -> Figures:
    """Two ways of imaging, five readers: Obuchowski & Rockette's test with Hillis's degrees of freedom."""
    keys = [table[name].astype(int) for name in ("treatment", "reader", "case")]
    order = np.lexsort(keys[::-1])
    t, r = (np.unique(key).size for key in keys[:2])
    ratings = table["rating"][order].reshape(t * r, -1)
    truth = table["truth"][order].reshape(t * r, -1)[0].astype(int)
    found = rh.uncertainty.auc_covariance(truth, {str(i): column for i, column in enumerate(ratings)})
    yield from mrmc(found.auc.reshape(t, r), found.covariance.reshape(t, r, t, r))


def mrmc(area: np.ndarray[Any, Any], spread: np.ndarray[Any, Any]) -> Figures:
    """Areas (treatments, readers) and their covariances: readers and cases are both random."""
    t, r = area.shape
    same_t, same_r = np.eye(t, dtype=bool)[:, None, :, None], np.eye(r, dtype=bool)[None, :, None, :]
    variance, cov1, cov2, cov3 = (
        float(spread[np.broadcast_to(chosen, spread.shape)].mean())
        for chosen in (same_t & same_r, ~same_t & same_r, same_t & ~same_r, ~same_t & ~same_r)
    )
    by_treatment, by_reader = area.mean(axis=1, keepdims=True), area.mean(axis=0, keepdims=True)
    ms_t = r * float(((by_treatment - area.mean()) ** 2).sum()) / (t - 1)
    df = (t - 1) * (r - 1)
    ms_tr = float(((area - by_treatment - by_reader + area.mean()) ** 2).sum()) / df
    below = ms_tr + r * max(cov2 - cov3, 0.0)
    df2 = below**2 / (ms_tr**2 / df)
    difference = float(by_treatment[0, 0] - by_treatment[1, 0])
    half = float(t_distribution.ppf(0.975, df2)) * np.sqrt(2 / r * below)
    yield "treatment 1, mean area", float(by_treatment[0, 0])
    yield "treatment 2, mean area", float(by_treatment[1, 0])
    yield "difference of means", difference
    yield "its interval, low", difference - half
    yield "its interval, high", difference + half
    yield "error variance", variance
    yield from (("Cov1", cov1), ("Cov2", cov2), ("Cov3", cov3), ("MS(T)", ms_t), ("MS(T:R)", ms_tr))
    yield from (("F", ms_t / below), ("df2", df2))
    yield "p", float(f_distribution.sf(ms_t / below, t - 1, df2))


def niamey(table: Columns) -> Figures:
    """The parts of the Brier score of four forecasts of rain, as far as they are printed."""
    for name in _NIAMEY:
        found = rh.decompose(table["obs"], table[name])
        yield from ((f"{name}, {part}", round(getattr(found, part), 4)) for part in _PARTS)


STUDIES = {
    "asah": ("pROC", asah), "suicide": ("cutpointr", suicide), "p10n10": ("precrec", p10n10),
    "df_binary": ("dcurves", df_binary), "vandyke": ("MRMCaov", vandyke),
    "niamey": ("CORP", niamey),
}  # fmt: skip


def compared(folder: Path) -> Iterator[tuple[str, str, float, float]]:
    """Source, figure, their value and ours."""
    theirs = {("MRMCaov", what): ("MRMCaov 0.3.0", value) for what, value in _MRMCAOV.items()}
    for name, values in _NIAMEY.items():
        theirs |= {
            ("CORP", f"{name}, {part}"): ("CORP 2021", x) for part, x in zip(_PARTS, values, strict=True)
        }
    written = folder / "figures.csv"  # which R writes, if it is there
    columns = read(written) if written.exists() else {"source": (), "what": (), "value": ()}
    for source, what, value in zip(*(columns[name] for name in ("source", "what", "value")), strict=True):
        theirs[source.split()[0], str(what)] = str(source), float(value)
    for file, (package, study) in STUDIES.items():
        path = folder / f"{file}.csv"
        for what, ours in study(read(path)) if path.exists() else ():
            source, value = theirs[package, what]
            yield source, what, value, ours


def main() -> None:
    """Print a line for each figure, and the largest difference of each source."""
    largest: dict[str, float] = {}
    for source, what, theirs, ours in compared(Path(sys.argv[1])):
        print(f"{source:16} {what:56} {theirs:14.9g} {ours:14.9g} {ours - theirs:9.1e}")
        largest[source] = max(largest.get(source, 0.0), abs(ours - theirs) / max(abs(theirs), 1e-3))
    for source, apart in largest.items():
        print(f"{source:16} largest relative difference {apart:.1e}")


if __name__ == "__main__":
    main()
