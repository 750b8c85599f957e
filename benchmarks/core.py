"""The benchmarks of the core: one hull or its parts, each beside a peer, each with its target."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from importlib import import_module
from statistics import median

import rochull as rh
from benchmarks import inputs, machine, memory, sorting, startup
from benchmarks.clock import Contender, clocked, medians
from benchmarks.inputs import Sample
from benchmarks.suite import Benchmark, Setup, slowdown, speedup
from benchmarks.table import Row, at_least, at_most, megabytes, seconds

_LLREVAL_ROWS = 10**6
_WARM_ROWS = 1 << 17


def hull(sample: Sample) -> Contender:
    """The hull alone."""
    return clocked(lambda: rh.roc_hull(sample.labels, sample.scores))


def hull_and_auc(sample: Sample) -> Contender:
    """The hull, and the exact area under the raw curve."""
    return clocked(
        lambda: (rh.roc_hull(sample.labels, sample.scores), rh.roc_auc(sample.labels, sample.scores))
    )


def weighted_hull(sample: Sample, weights: inputs.Weights) -> Contender:
    """The hull of weighted examples."""
    return clocked(lambda: rh.roc_hull(sample.labels, sample.scores, sample_weight=weights))


def isotonic_fit(sample: Sample) -> Contender:
    """scikit-learn's PAV."""
    from sklearn.isotonic import IsotonicRegression

    return clocked(lambda: IsotonicRegression().fit(sample.scores, sample.labels))


def auc_score(sample: Sample) -> Contender:
    """scikit-learn's exact area."""
    from sklearn.metrics import roc_auc_score

    return clocked(lambda: roc_auc_score(sample.labels, sample.scores))


def llreval_hull(sample: Sample) -> Contender:
    """llreval's PAV, and the hull made from it."""
    peer = import_module("llreval.pav_rocch")
    return clocked(lambda: peer.ROCCH(peer.PAV(sample.scores, sample.labels)))


def warm_up(setup: Setup) -> Iterator[Row]:
    """Compile, start threads and import, so that no measured call has to; no rows."""
    rows = min(setup.rows, _WARM_ROWS)
    sample = inputs.normal(rows, inputs.PREVALENCES[0])
    weighted_hull(sample, inputs.weights(rows))()
    hull_and_auc(sample)()
    yield from ()


def versus_sort(setup: Setup) -> Iterator[Row]:
    """The hull beside one single-threaded sort of the scores."""
    without = machine.wide_features()
    for prevalence in inputs.PREVALENCES:
        sample = inputs.normal(setup.rows, prevalence)
        with sorting.contenders(setup.rows, prevalence, without) as sorts:
            found = medians(setup.repeats, {"hull": hull(sample), **sorts})
        best = min(sorts, key=lambda name: found[name])
        note = "; ".join(f"{name} {seconds(found[name])}" for name in sorts)
        yield slowdown(
            f"hull vs np.sort (aim 0.45x), p={prevalence}", found["hull"], found[best], at_most(0.9), note
        )


def versus_sklearn(setup: Setup) -> Iterator[Row]:
    """The hull beside an isotonic fit, and with the exact area beside both of scikit-learn's."""
    for prevalence in inputs.PREVALENCES:
        sample = inputs.normal(setup.rows, prevalence)
        contenders = {
            "hull": hull(sample),
            "fit": isotonic_fit(sample),
            "both": hull_and_auc(sample),
            "auc": auc_score(sample),
        }
        found = medians(setup.repeats, contenders)
        theirs = found["fit"] + found["auc"]
        yield speedup(f"hull vs isotonic fit, p={prevalence}", found["hull"], found["fit"], at_least(35))
        yield speedup(
            f"hull+AUC vs isotonic+roc_auc_score, p={prevalence}", found["both"], theirs, at_least(25)
        )


def versus_llreval(setup: Setup) -> Iterator[Row]:
    """The hull and the exact area beside llreval's hull, at a size that it is used at."""
    rows = min(setup.rows, _LLREVAL_ROWS)
    for prevalence in inputs.PREVALENCES:
        sample = inputs.normal(rows, prevalence)
        found = medians(setup.repeats, {"ours": hull_and_auc(sample), "theirs": llreval_hull(sample)})
        name = f"hull+AUC vs llreval, n={rows:.0e}, p={prevalence}"
        yield speedup(name, found["ours"], found["theirs"], at_least(5))


def extra_memory(setup: Setup) -> Iterator[Row]:
    """Memory of the hull in multiples of the scores' bytes."""
    for prevalence in inputs.PREVALENCES:
        sample = inputs.normal(setup.rows, prevalence)
        flags = replace(sample, labels=sample.labels.astype(bool))
        size = sample.scores.nbytes
        for how, measure in (
            ("allocated", partial(memory.traced_peak, sample)),
            ("bool labels", partial(memory.traced_peak, flags)),
            ("resident", partial(memory.resident_growth, setup.rows, prevalence)),
        ):
            extra = median(measure() for _ in range(setup.repeats))
            name = f"extra memory, {how}, p={prevalence}"
            yield Row(name, extra / size, at_most(0.3), ours=megabytes(extra), peer=megabytes(size))


def weighted(setup: Setup) -> Iterator[Row]:
    """The weighted hull beside the unweighted one."""
    weights = inputs.weights(setup.rows)
    for prevalence in inputs.PREVALENCES:
        sample = inputs.normal(setup.rows, prevalence)
        contenders = {"plain": hull(sample), "weighted": weighted_hull(sample, weights)}
        found = medians(setup.repeats, contenders)
        yield slowdown(
            f"hull: weighted vs unweighted, p={prevalence}", found["weighted"], found["plain"], at_most(2)
        )


def shapes(setup: Setup) -> Iterator[Row]:
    """The hull of crowded and of tied scores beside that of normal ones."""
    for prevalence in inputs.PREVALENCES:
        normal = inputs.normal(setup.rows, prevalence)
        for name, sample in _shaped(normal):
            hull(sample)()  # compiles what only this shape needs
            found = medians(setup.repeats, {"normal": hull(normal), "shaped": hull(sample)})
            yield slowdown(
                f"hull: {name} vs normal, p={prevalence}", found["shaped"], found["normal"], at_most(2.5)
            )


def _shaped(normal: Sample) -> Iterator[tuple[str, Sample]]:
    """One after the other: only one is in memory."""
    for steepness in inputs.SATURATIONS:
        yield f"sigmoid k={steepness}", inputs.saturated(normal, steepness)
    yield "10^3 values", inputs.thousand_values(normal)
    yield "90% in one tie", inputs.one_tie(normal)


def decide(setup: Setup) -> Iterator[Row]:
    """Decisions by one threshold, beside the bare comparison."""
    sample = inputs.normal(setup.rows, inputs.PREVALENCES[0])
    policy = rh.Policy.from_hull(rh.roc_hull(sample.labels, sample.scores))
    condition = rh.ExpectedCost(cost_fn=2, prevalence=inputs.PREVALENCES[0])
    ((rule, _),) = policy.at(condition).rules
    threshold = rule.threshold
    if threshold is None:
        raise RuntimeError(f"the optimal rule has no threshold: {rule}")
    contenders = {
        "ours": clocked(lambda: policy.decide(sample.scores, condition)),
        "bare": clocked(lambda: sample.scores >= threshold),
    }
    found = medians(setup.repeats, contenders)
    rate = setup.rows / found["ours"]
    ours, bare = seconds(found["ours"]), seconds(found["bare"])
    yield Row("decide by one threshold (peer: bare >=)", rate, at_least(5e7), "rows/s", ours, bare)


# The first one warms up, whatever is chosen.
BENCHMARKS: dict[str, Benchmark] = {
    "warm-up": warm_up,
    "sort": versus_sort,
    "sklearn": versus_sklearn,
    "llreval": versus_llreval,
    "memory": extra_memory,
    "weighted": weighted,
    "shapes": shapes,
    "decide": decide,
    "import": lambda setup: startup.importing(),
    "help": lambda setup: startup.help_text(),
    "compile": lambda setup: startup.compiling(setup.repeats),
}
