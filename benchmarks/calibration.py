"""The benchmarks of calibration: yardsticks, maps, Venn-Abers, fusion, bands, bounds; each beside a peer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from typing import Any

import numpy as np

import rochull as rh
from benchmarks import inputs
from benchmarks.clock import Contender, clocked, computed, medians
from benchmarks.inputs import Sample
from benchmarks.suite import WARM_UP, Benchmark, Setup, slowdown, speedup
from benchmarks.table import Row, at_least, at_most

_YARDSTICK_ROWS = 10**6
_VENN_ABERS_ROWS = 10**5
_WARM_ROWS = 1 << 17
_STRETCHED_ROWS, _BOUND_ROWS = 1000, 10**4
_SYSTEMS, _SOLVERS = 4, ("lbfgs", "newton-cholesky")


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
    rh.uncertainty.calibration_band(sample.labels, sample.scores)
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


def fusion(setup: Setup) -> Iterator[Row]:
    """Logistic fusion of four systems beside scikit-learn's solvers, in core seconds."""
    peer = import_module("sklearn.linear_model").LogisticRegression
    rows = min(setup.rows, _YARDSTICK_ROWS)
    sample = inputs.normal(rows, inputs.PREVALENCES[0])
    noise = np.random.default_rng(8).standard_normal((rows, _SYSTEMS))
    systems = noise + sample.labels[:, None] * np.linspace(0.2, 1, _SYSTEMS)

    def theirs(solver: str) -> Any:
        return peer(C=np.inf, solver=solver).fit(systems, sample.labels).coef_[0]

    found = medians(setup.repeats, {
        "ours": computed(lambda: rh.LogisticFusion().fit(systems, sample.labels)),
        **{name: computed(lambda name=name: theirs(name)) for name in _SOLVERS},
    })  # fmt: skip
    penalised = medians(setup.repeats, {
        "ours": computed(lambda: rh.LogisticFusion(penalty=1e-3).fit(systems, sample.labels)),
        "theirs": computed(lambda: peer(C=1e3 / rows).fit(systems, sample.labels)),
    })  # fmt: skip
    yield speedup("fusion with a penalty, lbfgs", penalised["ours"], penalised["theirs"], at_least(1))
    weights = rh.LogisticFusion().fit(systems, sample.labels).coef_
    for name in _SOLVERS:
        row = speedup(f"fusion vs scikit-learn, {name}", found["ours"], found[name], at_least(1))
        yield replace(row, note=f"largest difference of a weight {np.abs(weights - theirs(name)).max():.0e}")


def bounds(setup: Setup) -> Iterator[Row]:
    """Bounds of LLRs beside lir's, in core seconds; its invariance bounds take an array of rows by steps."""
    elub = import_module("lir.algorithms.bayeserror").elub
    invariance = import_module("lir.algorithms.invariance_bounds").calculate_invariance_bounds
    peers: dict[str, tuple[int, Any]] = {
        "elub": (_VENN_ABERS_ROWS, lambda y, llr: elub(llr / np.log(10), y, add_misleading=1)),
        "invariance": (_BOUND_ROWS, lambda y, llr: np.log10(invariance(np.exp(llr), y)[:2])),
    }
    for name, (most, theirs) in peers.items():
        sample = inputs.normal(min(setup.rows, most), inputs.PREVALENCES[0])
        y, llr = sample.labels, sample.scores - 0.5
        found = medians(setup.repeats, {
            "ours": computed(lambda y=y, llr=llr, name=name: rh.calibration.llr_bounds(y, llr, name)),
            "theirs": computed(lambda y=y, llr=llr, theirs=theirs: theirs(y, llr)),
        })  # fmt: skip
        apart = np.abs(np.array(rh.calibration.llr_bounds(y, llr, name)) / np.log(10) - theirs(y, llr)).max()
        row = speedup(f"bound {name} vs lir, n={y.size:.0e}", found["ours"], found["theirs"], at_least(5))
        yield replace(row, note=f"largest difference of an end {apart:.1e} in log10")


def bands(setup: Setup) -> Iterator[Row]:
    """Bands of the calibration curve beside every stretch by SciPy, and model-diagnostics' resampled ones."""
    for rows, name, theirs in (
        (_STRETCHED_ROWS, "every stretch by SciPy", _every_stretch),
        (_BOUND_ROWS, "model-diagnostics, 100 resamples", _resampled),
        (_YARDSTICK_ROWS, "model-diagnostics, 39 resamples", _resampled_little),
    ):
        forecast = inputs.probabilities(inputs.normal(min(setup.rows, rows), inputs.PREVALENCES[0]))

        def ours(forecast: Sample = forecast) -> Any:
            return rh.uncertainty.calibration_band(forecast.labels, forecast.scores)

        found = medians(setup.repeats, {
            "ours": computed(ours), "theirs": computed(lambda f=forecast, theirs=theirs: theirs(f)),
        })  # fmt: skip
        yield speedup(
            f"band vs {name}, n={forecast.scores.size:.0e}", found["ours"], found["theirs"], at_least(1)
        )


def _every_stretch(forecast: Sample) -> Any:
    """The lower ends by definition: a bound of every stretch of different scores, all at once."""
    beta = import_module("scipy.special")
    positive = np.append(0, np.cumsum(forecast.labels[np.argsort(forecast.scores)]))
    n = forecast.scores.size
    lower = np.zeros(n)
    for end in range(1, n + 1):
        hits, size = positive[end] - positive[:end], end - np.arange(end)
        found = beta.betaincinv(np.maximum(hits, 1), size - hits + 1, 0.05 / n / (n + 1))
        lower[end - 1] = np.where(hits > 0, found, 0).max()
    return np.maximum.accumulate(lower)


def _resampled(forecast: Sample, times: int = 100) -> Any:
    """Percentiles of isotonic regressions; pointwise, and without the promise of a simultaneous band."""
    import matplotlib

    matplotlib.use("Agg")
    diagram = import_module("model_diagnostics.calibration").plot_reliability_diagram
    axes = import_module("matplotlib.figure").Figure().subplots()
    return diagram(forecast.labels, forecast.scores, n_bootstrap=times, ax=axes)


def _resampled_little(forecast: Sample) -> Any:
    return _resampled(forecast, 39)  # the fewest with a percentile of 2.5 %


BENCHMARKS: dict[str, Benchmark] = {
    WARM_UP: warm_up,
    "yardsticks": yardsticks,
    "map": new_scores,
    "venn-abers": venn_abers,
    "fusion": fusion,
    "bounds": bounds,
    "bands": bands,
}
