"""The benchmarks of inference: bootstrap replicates, DeLong, averages over folds; each beside a peer."""

from __future__ import annotations

import subprocess
import tracemalloc
from collections.abc import Iterator
from dataclasses import replace
from shutil import which
from typing import Any

import numpy as np

import rochull as rh
from benchmarks import inputs, machine, sorting
from benchmarks.clock import Contender, clocked, medians
from benchmarks.inputs import Sample
from benchmarks.suite import WARM_UP, Benchmark, Setup, slowdown, speedup
from benchmarks.table import Row, at_least, at_most, megabytes, seconds
from rochull._core.threads import Bar
from rochull.uncertainty.draws import DrawPlan
from rochull.uncertainty.replicates import Resample
from rochull.uncertainty.resampling import pool_from, replicates_of, states_of

_PREVALENCE = inputs.PREVALENCES[0]
_RESAMPLES = 2000
_BOOTSTRAP_ROWS = 10**5
_ROWS = 10**6
_PEER_RESAMPLES = 5  # measured, of a loop whose replicates all take the same
_GROUPS = 10**4  # 1e4 in the names of the rows
_FOLDS = 10

_PROC = """
suppressMessages(library(pROC))
rows <- {rows}; boots <- {boots}
y <- as.integer(runif(rows) < {prevalence}); s <- rnorm(rows) + y
r <- roc(y, s, direction = "<", quiet = TRUE)
one <- system.time(ci.auc(r, method = "bootstrap", boot.n = 2, progress = "none"))[["elapsed"]]
all <- system.time(ci.auc(r, method = "bootstrap", boot.n = 2 + boots, progress = "none"))[["elapsed"]]
cat((all - one) / boots)
"""


def replicates(sample: Sample, count: int, groups: int | None = None) -> Contender:
    """One of `count` bootstrap replicates of the area; the pool that they are drawn from is made before."""
    pool = pool_from(
        sample.labels, sample.scores,
        sample_weight=None, pos_label=None, clusters=None, max_groups=groups,
    )  # fmt: skip
    states, bar = states_of(0, count), Bar.of(False, "")
    fast = groups is None  # the loop that `rh.bootstrap` takes where the rows are at hand

    def draw() -> None:
        replicates_of(pool, DrawPlan(), Resample.auc, states, shape=(), fast=fast, bar=bar)

    run = clocked(draw)
    return lambda: run() / count


def sklearn_replicates(sample: Sample) -> Contender:
    """One replicate of a loop over scikit-learn's area."""
    from sklearn.metrics import roc_auc_score

    rng = np.random.default_rng(0)

    def loop() -> None:
        for _ in range(_PEER_RESAMPLES):
            rows = rng.integers(0, sample.labels.size, sample.labels.size)
            roc_auc_score(sample.labels[rows], sample.scores[rows])

    run = clocked(loop)
    return lambda: run() / _PEER_RESAMPLES


def warm_up(setup: Setup) -> Iterator[Row]:
    """Compile, start threads and import, so that no measured call has to; no rows."""
    sample = inputs.normal(min(setup.rows, 1 << 17), _PREVALENCE)
    y, scores = sample.labels, sample.scores
    for groups in (None, 1000):
        rh.bootstrap(y, scores, n_resamples=4, max_groups=groups, progress=False)
    rh.auc_interval(y, scores)
    rh.delong_test(y, scores, scores[::-1])
    rh.operating_point_average(y, scores, np.arange(y.size) % _FOLDS)
    yield from ()


def bootstrap(setup: Setup) -> Iterator[Row]:
    """A replicate of the area beside one of the plain loop, at a size where that is still done."""
    rows = min(setup.rows, _BOOTSTRAP_ROWS)
    sample = inputs.normal(rows, _PREVALENCE)
    contenders = {"ours": replicates(sample, _RESAMPLES), "theirs": sklearn_replicates(sample)}
    found = medians(setup.repeats, contenders)
    name = f"AUC replicate vs roc_auc_score, n={rows:.0e}"
    note = f"of {_RESAMPLES:,}; what is done once, such as the sort, is left out"
    row = speedup(name, found["ours"], found["theirs"], at_least(50))
    yield replace(row, note=note)
    yield from _proc(rows, found["ours"])


def _proc(rows: int, ours: float) -> Iterator[Row]:
    """The bootstrap of the R package pROC, where it is at hand."""
    name = f"AUC replicate vs pROC, n={rows:.0e}"
    if which("Rscript") is None:
        yield Row(name, target=at_least(50), ours=seconds(ours), note="Rscript is not at hand")
        return
    script = _PROC.format(rows=rows, boots=4 * _PEER_RESAMPLES, prevalence=_PREVALENCE)
    done = subprocess.run(["Rscript", "-e", script], capture_output=True, text=True, check=False)
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or ["it failed"])[-1]
        yield Row(name, target=at_least(50), ours=seconds(ours), note=f"pROC: {reason}")
        return
    yield speedup(name, ours, float(done.stdout), at_least(50))


def thinned(setup: Setup) -> Iterator[Row]:
    """A replicate on merged scores costs the same for any number of rows; and what merging changes."""
    few, many = min(setup.rows, _ROWS), setup.rows
    contenders = {
        name: replicates(inputs.normal(rows, _PREVALENCE), _RESAMPLES, _GROUPS)
        for name, rows in (("few", few), ("many", many))
    }
    contenders["loop"] = sklearn_replicates(inputs.normal(min(setup.rows, _BOOTSTRAP_ROWS), _PREVALENCE))
    found = medians(min(3, setup.repeats), contenders)
    name = f"replicate, 1e4 groups: n={many:.0e} vs {few:.0e}"
    note = f"the loop over roc_auc_score takes {found['loop'] / found['many']:.0f}x as long for 1e5 rows"
    yield slowdown(name, found["many"], found["few"], at_most(1.25), note)
    yield _difference(few)


def _difference(rows: int) -> Row:
    """How far the interval on merged scores is from that on all of them."""
    sample = inputs.normal(rows, _PREVALENCE)
    whole, merged = (
        rh.bootstrap(
            sample.labels, sample.scores, n_resamples=_RESAMPLES, max_groups=groups, random_state=seed,
            progress=False,
        )
        for groups, seed in ((2 * rows, 0), (_GROUPS, 1))
    )  # fmt: skip
    width = whole.high - whole.low
    apart = max(abs(whole.low - merged.low), abs(whole.high - merged.high)) / width
    errors = merged.standard_error / whole.standard_error
    note = (
        f"all groups [{whole.low:.6f}, {whole.high:.6f}], merged [{merged.low:.6f}, {merged.high:.6f}]; "
        f"largest difference of an end {apart:.1%} of the width, standard errors {errors:.3f} to 1; "
        f"{_RESAMPLES:,} replicates alone leave about 3% of either"
    )
    return Row(f"interval, 1e4 groups vs all, n={rows:.0e}", apart, at_most(0.1), note=note)


def delong(setup: Setup) -> Iterator[Row]:
    """DeLong's interval beside a sort of the scores, and the paired test beside two arg-sorts."""
    rows = min(setup.rows, _ROWS)
    sample = inputs.normal(rows, _PREVALENCE)
    y, a = sample.labels, sample.scores
    b = a + np.random.default_rng(1).standard_normal(rows)
    with sorting.contenders(rows, _PREVALENCE, machine.wide_features()) as sorts:
        found = medians(setup.repeats, {"ours": clocked(lambda: rh.auc_interval(y, a)), **sorts})
    best = min(sorts, key=lambda name: found[name])
    note = "; ".join(f"np.sort, {name} {seconds(found[name])}" for name in sorts)
    yield slowdown(f"DeLong interval vs np.sort, n={rows:.0e}", found["ours"], found[best], at_most(2), note)
    contenders = {
        "ours": clocked(lambda: rh.delong_test(y, a, b)),
        "argsort": clocked(lambda: (np.argsort(a), np.argsort(b))),
    }
    found = medians(setup.repeats, contenders)
    name = f"paired DeLong vs two np.argsort, n={rows:.0e}"
    yield slowdown(name, found["ours"], found["argsort"], at_most(2))


def averaging(setup: Setup) -> Iterator[Row]:
    """Rates of ten folds at all operating points beside one arg-sort; and the memory of that."""
    rows = min(setup.rows, _ROWS)
    sample = inputs.normal(rows, _PREVALENCE)
    fold = np.random.default_rng(2).permutation(rows) % _FOLDS

    def average(part: slice = slice(None)) -> Any:
        return rh.operating_point_average(sample.labels[part], sample.scores[part], fold[part])

    contenders = {"ours": clocked(average), "argsort": clocked(lambda: np.argsort(sample.scores))}
    found = medians(setup.repeats, contenders)
    name = f"average of {_FOLDS} folds vs np.argsort, n={rows:.0e}"
    yield slowdown(name, found["ours"], found["argsort"], at_most(3), "at all operating points")
    peaks = [_peak(lambda part=part: average(part)) for part in (slice(None), slice(rows // 10))]
    size = sample.scores.nbytes
    note = (
        f"of 10 times the rows; {peaks[0] / size:.1f} times the scores' bytes, where the rates of all folds "
        f"would be {2 * _FOLDS} times"
    )
    yield Row(
        f"average of {_FOLDS} folds, memory, n={rows:.0e}", peaks[0] / peaks[1], at_most(11),
        ours=megabytes(peaks[0]), peer=megabytes(peaks[1]), note=note,
    )  # fmt: skip


def _peak(work: Any) -> int:
    """Bytes that NumPy and Python allocate at most, the result included."""
    tracemalloc.start()
    work()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


BENCHMARKS: dict[str, Benchmark] = {
    WARM_UP: warm_up,
    "bootstrap": bootstrap,
    "thinned": thinned,
    "delong": delong,
    "averaging": averaging,
}
