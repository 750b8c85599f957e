"""What the tests of the command line share: a run's outcome, and the table that most of them read."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import rochull as rh

GERMAN = str(rh.datasets.path("german_credit_scores"))
NAMES = ["naive_bayes", "logistic", "knn", "tree", "boosted"]
LABEL = ["--label", "class", "--positive", "bad"]


class Outcome(NamedTuple):
    """What a run left behind."""

    status: int
    out: str
    err: str


Run = Callable[..., Outcome]


def hybrid(names: list[str] = NAMES) -> rh.Hybrid:
    """The classifiers as Python makes them."""
    return rh.Hybrid.from_table(GERMAN, label="class", scores=names, pos_label="bad")


def saved_policy(folder: Path, names: list[str] = NAMES, **about: str) -> str:
    """The path of a policy of the classifiers."""
    path = folder / "policy.json"
    hybrid(names).policy(**about).save(path)
    return str(path)
