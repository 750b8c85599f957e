"""The benchmarks of calibration: yardsticks, maps of new scores, Venn-Abers intervals; each beside a peer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from typing import Any

import numpy as np

import rochull as rh
from benchmarks import inputs
from benchmarks.clock import Contender, clocked, medians
from benchmarks.inputs import Sample
from benchmarks.suite import WARM_UP, Benchmark, Setup, slowdown, speedup
from benchmarks.table import Row, at_least, at_most

_YARDSTICK_ROWS = 10**6
_VENN_ABERS_ROWS = 10**5
_WARM_ROWS = 1 << 17


def min_cllr(sample: Sample) -> Contender:
    """The least Cllr that a monotone recalibration reaches."""
    return clocked(lambda: rh.min_cllr(sample.labels, sample.scores))


def decompose(forecast: Sample) -> Contender:
    """Miscalibration, discrimination and uncertainty of probabilities, for the Brier score."""
    return clocked(lambda: rh.decompose(forecast.labels, forecast.scores))


def llreval_min_cllr(sample: Sample) -> Contender:
    """llreval's PAV, and the minimum read from it."""
    pav, cllr = import_module("llreval.pav_rocch"), import_module("llreval.cllr")
    return clocked(lambda: cllr.min_cllr(pav.PAV(sample.scores, sample.labels)))


def diagnostics_decompose(forecast: Sample) -> Contender:
    """The decomposition of model-diagnostics."""
    peer = import_module("model_diagnostics.scoring")
    loss = peer.SquaredError()
    return clocked(lambda: peer.decompose(forecast.labels, forecast.scores, scoring_function=loss))


def warm_up(setup: Setup) -> Iterator[Row]:
    """Compile, start threads and import, so that no measured call has to; no rows."""
    sample = inputs.normal(_WARM_ROWS, inputs.PREVALENCES[0])
    min_cllr(sample)()
    decompose(inputs.probabilities(sample))()
    for interpolation in ("step", "linear"):
        rh.PavCalibrator(interpolation=interpolation).fit(sample.scores, sample.labels).llr(sample.scores)
    rh.VennAbers().fit(sample.scores, sample.labels).interval(sample.scores)
    yield from ()


def yardsticks(setup: Setup) -> Iterator[Row]:
    """minCllr and the CORP decomposition, at a size that the peers are used at."""
    rows = min(setup.rows, _YARDSTICK_ROWS)
    for prevalence in inputs.PREVALENCES:
        sample = inputs.normal(rows, prevalence)
        forecast = inputs.probabilities(sample)
        contenders = {
            "min_cllr": min_cllr(sample),
            "llreval": llreval_min_cllr(sample),
            "decompose": decompose(forecast),
            "diagnostics": diagnostics_decompose(forecast),
        }
        found = medians(setup.repeats, contenders)
        both, theirs = found["min_cllr"] + found["decompose"], found["llreval"] + found["diagnostics"]
        yield speedup(
            f"min_cllr vs llreval, p={prevalence}", found["min_cllr"], found["llreval"], at_least(4)
        )
        yield speedup(
            f"decompose vs model-diagnostics, p={prevalence}",
            found["decompose"],
            found["diagnostics"],
            at_least(4),
        )
        yield speedup(f"min_cllr + decompose, p={prevalence}", both, theirs, at_least(4))


def new_scores(setup: Setup) -> Iterator[Row]:
    """Calibrating new scores, beside one np.searchsorted into the edges of the same blocks."""
    for prevalence in inputs.PREVALENCES:
        sample = inputs.normal(setup.rows, prevalence)
        new = np.random.default_rng(7).permutation(sample.scores)
        step = rh.PavCalibrator().fit(sample.scores, sample.labels)
        linear = rh.PavCalibrator(interpolation="linear").fit(sample.scores, sample.labels)
        edges = np.ascontiguousarray(step.blocks_.low[::-1])
        contenders = {
            "searchsorted": clocked(lambda new=new, edges=edges: np.searchsorted(edges, new, side="right")),
            "step": clocked(lambda step=step, new=new: step.posterior(new)),
            "llr": clocked(lambda step=step, new=new: step.llr(new)),
            "linear": clocked(lambda linear=linear, new=new: linear.posterior(new)),
        }
        found = medians(setup.repeats, contenders)
        for name in ("step", "llr", "linear"):
            note = f"{edges.size} blocks"
            yield slowdown(
                f"{name} map vs searchsorted, p={prevalence}",
                found[name], found["searchsorted"], at_most(1.5), note,
            )  # fmt: skip


def venn_abers(setup: Setup) -> Iterator[Row]:
    """Intervals of new scores beside the venn-abers package, which wants probabilities of both classes."""
    rows = min(setup.rows, _VENN_ABERS_ROWS)
    peer = import_module("venn_abers").VennAbers
    for prevalence in inputs.PREVALENCES:
        fitted, new = (inputs.probabilities(part) for part in _halves(inputs.normal(2 * rows, prevalence)))
        both = [np.column_stack([1 - part.scores, part.scores]) for part in (fitted, new)]

        def theirs(fitted: Sample = fitted, both: Any = both) -> Any:
            model = peer()
            model.fit(both[0], fitted.labels)
            return model.predict_proba(both[1])[1]

        def ours(fitted: Sample = fitted, new: Sample = new) -> Any:
            return rh.VennAbers().fit(fitted.scores, fitted.labels).interval(new.scores)

        apart = float(np.abs(np.column_stack(ours()) - theirs()).max())
        found = medians(setup.repeats, {"ours": clocked(ours), "theirs": clocked(theirs)})
        note = f"largest difference of an end {apart:.1e}"
        name = f"Venn-Abers vs venn-abers, p={prevalence}"
        row = speedup(name, found["ours"], found["theirs"], at_least(20))
        yield replace(row, note=note)


def _halves(sample: Sample) -> list[Sample]:
    middle = sample.scores.size // 2
    return [Sample(sample.labels[part], sample.scores[part]) for part in (slice(middle), slice(middle, None))]


BENCHMARKS: dict[str, Benchmark] = {
    WARM_UP: warm_up,
    "yardsticks": yardsticks,
    "map": new_scores,
    "venn-abers": venn_abers,
}
