"""Messages of the library on the command line: each part in the words of the command that runs."""

from pathlib import Path
from typing import Any

import pytest

import rochull as rh
from command_line import GERMAN, LABEL, Run, saved_policy
from rochull._core.messages import (
    Advice,
    Column,
    Item,
    Message,
    Parameter,
    Refusal,
    Setting,
    changed,
    in_place_of,
)
from rochull.cli.wording import Wording, in_words_of, worded

DECIDE = Wording(
    frozenset({"max-fpr", "max-share", "key", "deterministic", "minimax", "max-review-share", "memory"})
)
REPORT = Wording(frozenset({"max-fpr", "positive", "score", "fold", "where"}))


@pytest.mark.parametrize(
    ("part", "python", "decide", "report"),
    [
        (Parameter("key"), "key", "--key", "key"),
        (Parameter("max_share"), "max_share", "--max-review-share", "max_share"),
        (Parameter("folds"), "folds", "folds", "--fold"),
        (Setting("max_fpr", 0.1), "max_fpr=0.1", "--max-fpr 0.1", "--max-fpr 0.1"),
        (Setting("max_fpr", (0.1, 0.25)), "max_fpr=(0.1, 0.25)", "--max-fpr 0.1:0.25", "--max-fpr 0.1:0.25"),
        (Setting("max_fpr", 1 / 3, "g"), "max_fpr=0.333333", "--max-fpr 0.333333", "--max-fpr 0.333333"),
        (Setting("memory", "1KB"), "memory='1KB'", "--memory '1KB'", "memory='1KB'"),
        (Setting("pos_label", "a"), "pos_label='a'", "pos_label='a'", "--positive 'a'"),
        (Setting("deterministic", True), "deterministic=True", "--deterministic", "deterministic=True"),
        (Column("y_score", "knn"), "y_score of 'knn'", "score column 'knn'", "score column 'knn'"),
        (Item("X", "knn"), "X['knn']", "score column 'knn'", "score column 'knn'"),
        (Item("key", "a"), "key['a']", "--key of 'a'", "key['a']"),
        (rh.FalsePositiveRate() <= 0.1, "FalsePositiveRate() <= 0.1", "--max-fpr 0.1", "--max-fpr 0.1"),
        (rh.AlarmRate() <= 0.1, "AlarmRate() <= 0.1", "--max-share 0.1", "AlarmRate() <= 0.1"),
        (Advice("minimax", "Try."), "Try.", "(--minimax decides by the rule that risks least; rochull report "
         "shows what is optimal in the range.)", ""),
        (3, "3", "3", "3"),
    ],
)  # fmt: skip
def test_every_kind_of_part(part: Any, python: str, decide: str, report: str) -> None:
    message = Message("<{}>", part)
    assert (str(message), message.told(DECIDE), message.told(REPORT)) == (
        f"<{python}>",
        f"<{decide}>",
        f"<{report}>",
    )


def test_what_was_typed_is_not_advised() -> None:
    options, advice = frozenset({"minimax", "m"}), Advice("minimax", "")
    assert Wording.of(options, ["decide", "p.json"])(advice)
    assert Wording.of(options, ["decide", "p.json", "--", "--minimax"])(advice)
    assert Wording.of(options, ["decide", "p.json", "--minimax"])(advice) == ""


def test_what_a_message_is_about_can_be_called_otherwise() -> None:
    words = {"cost_fp": "max_fpr", "X": Column("X", "knn")}
    with pytest.raises(Refusal) as raised, changed(in_place_of(words)):
        raise Refusal(
            "{}: {} and {}.", Parameter("X"), Setting("cost_fp", 2), Refusal("{}", Parameter("key"))
        )
    assert str(raised.value) == "X of 'knn': max_fpr=2 and key."
    with in_words_of(lambda: DECIDE):
        assert worded(raised.value) == "score column 'knn': --max-fpr 2 and --key."
    assert worded(raised.value) == "score column 'knn': max_fpr=2 and key."


def test_other_errors_stay_as_they_are() -> None:
    with pytest.raises(ValueError, match="plain"), changed(in_place_of({})):
        raise ValueError("plain")
    assert worded(ValueError("max_fpr must be")) == "max_fpr must be"


# --- the same error in Python and in a command ----------------------------------------------------------

OUTPUT = ["-o", "decided.csv"]
SCORES = ["--score", "tree", "--score", "boosted"]
RANGE = ["--max-fpr", "0.1:0.2"]
MIXED = [*RANGE, "--cost-fn", "5"]


def python(words: str) -> str:
    """What Python says."""
    table = rh.datasets.load("german_credit_scores")
    hybrid = rh.Hybrid.from_table(GERMAN, label="class", scores=["tree", "boosted"], pos_label="bad")
    asked: dict[str, Any] = {
        "parameter": lambda: hybrid.at(rh.NeymanPearson(2)),
        "setting": lambda: rh.ExpectedCost(cost_fp=(5, 1)),
        "column": lambda: rh.Hybrid.from_table(GERMAN, label="class", scores="purpose", pos_label="bad"),
        "limit": lambda: hybrid.at(
            rh.Within(rh.Recall(), [rh.FalsePositiveRate() <= 0.02, rh.Recall() >= 0.9])
        ),
        "advice": lambda: hybrid.at(rh.NeymanPearson((0.1, 0.2))),
        "label": lambda: rh.roc_hull(table["class"], table["tree"], pos_label="ugly"),
    }
    with pytest.raises(ValueError) as raised:  # noqa: PT011 - what it says is returned
        asked[words]()
    return str(raised.value)


@pytest.mark.parametrize(
    ("kind", "said", "command", "told"),
    [
        ("parameter", "max_fpr must lie", ["report", "--max-fpr", "2"], "--max-fpr must lie"),
        ("setting", "cost_fp=(5, 1) is an interval with low > high.", ["report", "--cost-fp", "5:1"],
         "--cost-fp 5:1 is an interval with low > high."),
        ("column", "score column 'purpose': y_score must be numeric", ["report", "--score", "purpose"],
         "score column 'purpose' must be numeric"),
        ("limit", "no operating point meets FalsePositiveRate() <= 0.02 and Recall() >= 0.9.",
         ["report", "--max-fpr", "0.02", "--min-recall", "0.9"],
         "no operating point meets --max-fpr 0.02 and --min-recall 0.9. One of these instead would do: --max-fpr 0."),
        ("advice", "with minimax=True a policy decides by it.)", ["decide", *RANGE],
         "--max-fpr 0.1:0.2 is an interval, so there is no single best rule; give one number. (--minimax decides"),
        ("label", "pos_label='ugly' does not occur in y_true", ["report", "--positive", "ugly"],
         "--positive 'ugly' does not occur in label column 'class'"),
    ],
)  # fmt: skip
def test_one_error_in_python_and_in_a_command(
    run: Run, tmp_path: Path, *, kind: str, said: str, command: list[str], told: str
) -> None:
    assert said in python(kind)
    name, *typed = command
    if name == "decide":
        done = run("decide", saved_policy(tmp_path), GERMAN, *OUTPUT, *typed)
    else:
        done = run("report", GERMAN, *LABEL, *SCORES, *typed)
    assert done.status == 1
    assert told in done.err


@pytest.mark.parametrize("command", ["report", "decide"])
def test_advice_that_cannot_be_taken_is_not_given(run: Run, tmp_path: Path, command: str) -> None:
    """A limit with a range beside costs has no best rule, whichever of the two one asks."""
    if command == "report":
        done = run("report", GERMAN, *LABEL, *SCORES, *MIXED)
    else:
        done = run("decide", saved_policy(tmp_path), GERMAN, *OUTPUT, *MIXED, "--minimax")
    assert done.status == 1
    ending = "--max-fpr 0.1:0.2 is an interval, so there is no single best rule; give one number.\n"
    assert done.err.endswith(ending)
