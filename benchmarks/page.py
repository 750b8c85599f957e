"""``python -m benchmarks``: the page of benchmarks, docs/benchmarks.md, with its pictures.

Every job (see jobs.py) is done at 10^3 rows, 10^4, and so on. First all contenders do it once and their
results are compared; only those that agree are timed. They take turns, and medians are reported, of the time
that all threads of a process together were computing: other programs change that little. What one read of the
labels and scores takes, and one `np.sort` of the scores, stands beside as a limit.
"""

from __future__ import annotations

import datetime
import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from math import ceil
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Any

import numpy as np

from benchmarks import machine, memory
from benchmarks.jobs import JOBS, Job, close
from benchmarks.processes import output
from benchmarks.table import megabytes, seconds

FOLDER = Path(__file__).parent.parent / "docs"
_KEPT = FOLDER.parent / "build" / "benchmarks"
_FACTS = ("seconds", "memory", "notes", "said")
READ, SORT, OURS = "one read", "np.sort", "rochull"
_SLOW = 2.0  # seconds: what takes longer is done once
_SHORT = 0.02  # seconds: what takes less is called again and again for about so long
_PATIENCE = 60.0  # seconds: a peer is not asked for ten times the rows if it would take longer
_MEMORY = {"hull": ("scikit-learn",), "area": ("scikit-learn",), "cllr": ("llreval",)}
_MEMORY_ROWS = (10**6, 10**7, 10**8)
_LIMIT, _LINE = {"ls": "--", "lw": 1}, {"marker": "o", "ms": 3, "lw": 1.6}
_NAMES = ("pandas", "torch", "torchmetrics", "lir", "mapie", "rocci")

_INTRODUCTION = """# Benchmarks

<!-- written by `python -m benchmarks`: do not edit -->

What rochull's jobs take, by the number of rows, beside other libraries and beside two limits: one read of the
labels and scores (two sums), and one `np.sort` of the scores. At every size all contenders first do the job
once, and their results are compared; only those that agree are timed. They take turns; medians of five
rounds, of three at 10⁶ rows, of one beyond; in a round a call of less than 20 ms is repeated for as long, and
its mean taken. What takes a peer more than two seconds is done once, and a peer
that would take more than a minute is not asked.

Times are **core seconds**: how long all threads of a process together were computing. Other programs on the
machine change them little. rochull works with two threads where there is enough to do, so that on an idle
machine with two cores it is done in about half of its core seconds; so are torch and rocci. The suites below
are of elapsed time on an idle machine.

Scores are normal, 30 % of the cases positive and shifted by one standard deviation; labels are int64.
"""
_PICTURE = """```{image} images/benchmarks_time.png
:alt: Time against rows for every job, on logarithmic axes
:width: 100%
```
"""
_GROWTH = """```{image} images/benchmarks_growth.png
:alt: Time and memory of a hull against rows, from ten on, on logarithmic axes
:width: 100%
```

A hull from ten rows on, drawn by `python -m benchmarks growth`: in memory, as the first call of a process
with its imports, and from a Parquet file (10⁹ rows as [measured there](scale.md#how-cost-grows-measured)).
Below, jobs that lir, fairlearn, MAPIE and NannyML do as well: none of them makes a hull.
"""
_SUITES = """## Suites with targets

```{include} ../benchmarks/README.md
:relative-docs: ../docs/
:start-after: "# Benchmarks"
```"""


@dataclass
class Measured:
    """Seconds of each contender at each size, and what is to be said of those that were not timed."""

    job: Job
    seconds: dict[int, dict[str, float]] = field(default_factory=dict)
    memory: dict[int, dict[str, int]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    said: str = ""  # when, at which load


def measure(job: Job, largest: int) -> Measured:
    """All sizes of one job."""
    measured, small = Measured(job), job.sample(10**3)
    for peer in job.peers.values():
        with suppress(Exception):  # it is said below
            peer.work(small)  # imports and compiles
    rows, last = 10**3, dict.fromkeys(job.peers, 0.0)
    while rows <= min(job.largest, largest):
        measured.seconds[rows] = at_size(job, rows, measured.notes, last)
        rows *= 10
    return measured


def at_size(job: Job, rows: int, notes: list[str], last: dict[str, float]) -> dict[str, float]:
    """One size; `last` is what the peers took at the one before, and becomes what they take at this."""
    machine.load_kernels()
    sample = job.sample(rows)
    if rows < 10**7:
        job.ours(sample)  # compiles
    ours = job.ours(sample)
    contenders = {
        READ: lambda: _each(lambda: (sample.labels.sum(), sample.scores.sum())),
        SORT: lambda: _each(lambda: np.sort(sample.scores)),
        OURS: lambda: _each(lambda: job.ours(sample)),
    }
    found: dict[str, list[float]] = {name: [] for name in (*contenders, *job.peers)}
    for name, peer in job.peers.items():
        if rows > peer.largest or last[name] > _PATIENCE / 10:
            continue
        try:
            theirs, last[name] = _once(lambda peer=peer: peer.work(sample))
            same = peer.alike(ours, theirs) if peer.alike else close(ours, theirs, peer.within)
        except Exception as error:  # it is not installed, or fails: the page goes on
            said = f"{name}: {type(error).__name__}: {error}".splitlines()[0][:160]
            notes += [said] if said not in notes else []
            continue
        if not same:
            notes.append(f"{name} finds something else at {rows:,} rows: not timed")
        elif last[name] > _SLOW and peer.timed is None:
            found[name] = [last[name]]
        else:
            itself = peer.timed(sample) if peer.timed else None
            contenders[name] = itself or (lambda peer=peer: _each(lambda: peer.work(sample)))
    for _ in range(5 if rows < 10**6 else 3 if rows < 10**7 else 1):
        for name, run in contenders.items():
            if last.get(name, 0) <= _SLOW or not found[name]:
                found[name].append(run())
    return {name: median(times) for name, times in found.items() if times}


def _each(work: Any) -> float:
    """Core seconds of a call; of what is short the mean of many, whose clock and caches take no share."""
    first = _once(work)[1]
    if first > _SHORT:
        return first
    calls = min(1000, ceil(_SHORT / max(first, 1e-6)))
    return _once(lambda: [work() for _ in range(calls)])[1] / calls


def _once(work: Any) -> tuple[Any, float]:
    begin = process_time()
    result = work()
    return result, process_time() - begin


# --- memory -------------------------------------------------------------------------------------------


def growth(name: str, contender: str, rows: int) -> int:
    """Bytes by which a new process grows at most, beyond its input, while it does a job."""
    machine.load_kernels()
    job = JOBS[name]
    work = job.ours if contender == OURS else job.peers[contender].work
    work(job.sample(1 << 17))
    sample = job.sample(rows)
    before = memory.resident_before()
    work(sample)
    return memory.peak_resident() - before


def memories(name: str, largest: int) -> dict[int, dict[str, int]]:
    """Growth of a job by size and contender; of peers up to 10^7 rows."""
    found: dict[int, dict[str, int]] = {}
    for rows in (rows for rows in _MEMORY_ROWS if rows <= largest):
        for contender in (OURS, *_MEMORY[name]):
            if contender == OURS or rows <= min(10**7, JOBS[name].peers[contender].largest):
                with suppress(RuntimeError):  # it is not installed
                    said = output(sys.executable, "-m", __name__, name, contender, str(rows))
                    found.setdefault(rows, {})[contender] = int(said)
    return found


# --- the page -----------------------------------------------------------------------------------------


def power(rows: int) -> str:
    """A size as a power of ten."""
    return "10" + "".join("⁰¹²³⁴⁵⁶⁷⁸⁹"[int(digit)] for digit in str(len(str(rows)) - 1))


def table(measured: Measured) -> Iterator[str]:
    """One job: a row for each size."""
    names = [READ, SORT, OURS, *measured.job.peers]
    ratio = [f"{name} / rochull" for name in measured.job.peers]
    yield f"| rows | {' | '.join(names)} | rochull / np.sort | {' | '.join(ratio)} |"
    yield "|---:|" + "---:|" * (len(names) + 1 + len(ratio))
    for rows, times in measured.seconds.items():
        cells = [seconds_of(times.get(name)) for name in names]
        ratios = [
            times[OURS] / times[SORT],
            *(times.get(n, np.nan) / times[OURS] for n in measured.job.peers),
        ]
        shown = ["" if np.isnan(r) else f"{r:.2f}" if r < 10 else f"{r:.0f}" for r in ratios]
        yield f"| {power(rows)} | {' | '.join([*cells, *shown])} |"


def seconds_of(time: float | None) -> str:
    """A duration, in µs too, or nothing."""
    if time is None:
        return ""
    return f"{time * 1e6:.0f} µs" if time < 1e-3 else seconds(time)


def page(measured: dict[str, Measured]) -> Iterator[str]:
    """The page, line by line."""
    yield _INTRODUCTION
    yield "```text"
    yield from machine.describe(_NAMES)
    yield "```\n"
    yield _PICTURE
    yield _GROWTH
    for name, found in measured.items():
        yield f"## {found.job.title}\n\n{found.job.text}\n"
        yield from table(found)
        yield f"\n- {found.said}"
        yield from (f"- {note}" for note in found.notes)
        yield ""
        if found.memory:
            yield "Memory beyond the input, by the growth of a new process:\n"
            contenders = [OURS, *_MEMORY[name]]
            yield f"| rows | the scores | {' | '.join(contenders)} |\n|---:|---:|{'---:|' * len(contenders)}"
            for rows, sizes in found.memory.items():
                cells = [megabytes(sizes[c]) if c in sizes else "" for c in contenders]
                yield f"| {power(rows)} | {megabytes(8 * rows)} | {' | '.join(cells)} |"
            yield ""
    yield _SUITES


def draw(measured: dict[str, Measured], path: Path) -> None:
    """Time against rows, a panel for each job."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    colours = {READ: "#bbbbbb", SORT: "#666666", OURS: "#D55E00"}
    others = ["#0072B2", "#009E73", "#CC79A7"]
    columns = 3
    lines = -(-len(measured) // columns)
    figure, axes = plt.subplots(lines, columns, squeeze=False, layout="constrained")
    figure.set_size_inches(12, 3.2 * lines)
    for ax, found in zip(axes.flat, measured.values(), strict=False):
        names = [READ, SORT, OURS, *found.job.peers]
        shades = colours | dict(zip(found.job.peers, others, strict=False))
        for name in names:
            points = [(rows, times[name]) for rows, times in found.seconds.items() if name in times]
            if points:
                style = _LIMIT if name in (READ, SORT) else _LINE
                ax.loglog(*zip(*points, strict=True), color=shades[name], label=name, **style)
        ax.set_title(found.job.title, fontsize=10)
        ax.set(xlabel="rows", ylabel="core seconds", xlim=(7e2, 1.5e8), ylim=(3e-6, 60))
        ax.grid(alpha=0.3)
        ax.legend(frameon=False, fontsize=8, loc="lower right")
    for ax in list(axes.flat)[len(measured) :]:
        ax.set_axis_off()
    figure.savefig(path, dpi=110)


def write(largest: int, only: Sequence[str]) -> Path:
    """Measure some jobs, and write the page of these and of those measured before."""
    begin, path = perf_counter(), FOLDER / "benchmarks.md"
    for name in only:
        load, found = machine.load(), measure(JOBS[name], largest)
        if name in _MEMORY:
            found.memory = memories(name, largest)
        found.said = (
            f"{datetime.date.today()}, load average {load:.0f} at the start, {machine.load():.0f} at the end"
        )
        _keep(name, found)
        print(
            f"{perf_counter() - begin:5.0f} s  {name}", *found.notes, sep="\n  ", file=sys.stderr, flush=True
        )
    measured = _kept()
    draw(measured, FOLDER / "images" / "benchmarks_time.png")
    path.write_text("\n".join(page(measured)) + "\n", encoding="utf-8")
    return path


def _keep(name: str, found: Measured) -> None:
    """Write what was measured to the folder build, where later runs find it."""
    _KEPT.mkdir(parents=True, exist_ok=True)
    facts = {key: getattr(found, key) for key in _FACTS}
    (_KEPT / f"{name}.json").write_text(json.dumps(facts), encoding="utf-8")


def _kept() -> dict[str, Measured]:
    found = {}
    for name, job in JOBS.items():
        file = _KEPT / f"{name}.json"
        if file.exists():
            facts = json.loads(file.read_text(encoding="utf-8"))
            for key in ("seconds", "memory"):
                facts[key] = {int(rows): values for rows, values in facts[key].items()}
            found[name] = Measured(job, **facts)
    return found


if __name__ == "__main__":
    machine.use_cores(2)
    print(growth(sys.argv[1], sys.argv[2], int(sys.argv[3])))
