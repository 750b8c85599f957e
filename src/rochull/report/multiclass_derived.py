"""Values that words on several classes need beside the facts: no other module for them computes."""

from __future__ import annotations

from typing import Any

from rochull.report.derived import as_much
from rochull.report.multiclass_savings import saving_interval

Facts = dict[str, Any]
Matrix = list[list[float]]
_MOST = 6  # weights that a sentence can hold
_FAR = 1e-3  # of the largest weight: less is written with powers of ten, which a sentence cannot hold


def shares(matrix: Matrix) -> Matrix:
    """Divide each row by its sum."""
    return [[cell / sum(row) for cell in row] for row in matrix]


def errors(matrix: Matrix) -> list[float]:
    """Give the error of each class."""
    return [n / sum(row) for n, row in zip(mistaken(matrix), matrix, strict=True)]


def mistaken(matrix: Matrix) -> list[float]:
    """Count the cases of each class that are called another."""
    return [sum(row) - row[i] for i, row in enumerate(matrix)]


def precisions(matrix: Matrix) -> list[float | None]:
    """Return the share of the cases called each class that are of it; None where no case is."""
    called = [sum(column) for column in zip(*matrix, strict=True)]
    return [matrix[c][c] / total if total else None for c, total in enumerate(called)]


def is_short(weights: list[float]) -> bool:
    """Whether a sentence can hold these weights."""
    return len(weights) <= _MOST and min(w for w in weights if w) >= _FAR * max(weights)


def keeps_limits(row: Facts) -> bool:
    """Whether a baseline keeps all limits."""
    return all(each is not None and each <= 0 for each in row["excess"])


def are_costs(facts: Facts, rows: list[Facts]) -> bool:
    """Whether no rule gains, as of gains there are no shares."""
    return bool(min(facts["chosen"]["value"], *(row["value"] for row in rows)) >= 0)


def best_alone(rows: list[Facts]) -> Facts:
    """Choose the best of some baselines, those first that keep the limits."""
    return min(
        rows, key=lambda row: (not keeps_limits(row), float("inf") if row["value"] is None else row["value"])
    )


def sure_saving(facts: Facts, row: Facts) -> tuple[str, list[float]]:
    """Say whether a saving is "sure", with its ends in per cent without their sign, "unsure" or "unknown"."""
    ends = saving_interval(facts, row)
    if not ends or as_much(facts["chosen"]["value"], row["value"]):
        return "unknown", []
    return ("unsure", []) if ends[0] <= 0 <= ends[1] else ("sure", sorted(100 * abs(end) for end in ends))


def moved(names: list[str], before: Matrix, after: Matrix) -> tuple[list[Facts], list[Facts]]:
    """List the errors that are smaller by another rule, and those that are larger: most changed first."""
    rows: list[Facts] = [
        {"name": name, "after": a, "before": b, "by": a - b}
        for name, b, a in zip(names, errors(before), errors(after), strict=True)
    ]
    smaller = sorted((row for row in rows if row["by"] < 0), key=lambda row: row["by"])
    larger = sorted((row for row in rows if row["by"] > 0), key=lambda row: -row["by"])
    return smaller, larger


def priors_of(facts: Facts) -> list[float]:
    """Give the shares of the classes in future."""
    return [float(f"{p / sum(facts['priors']):.4g}") for p in facts["priors"]]


def total(facts: Facts) -> float:
    """Count the examples."""
    found: float = sum(c["total"] for c in facts["classes"])
    return found


def most_broken(facts: Facts) -> tuple[float, Facts] | None:
    """Find the limit that the chosen rule breaks most, and by how much; None where that is not defined."""
    known = [
        (by, limit)
        for by, limit in zip(facts["chosen"]["excess"], facts["limits"], strict=True)
        if by is not None
    ]
    return max(known, key=lambda pair: pair[0]) if known else None
