"""Messages of the library on the command line: each part in the words of the command that runs."""

from typing import Any

import pytest

import rochull as rh
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
RANGES = "is an interval, so there is no single best rule; give one number."


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
    commands = {
        "decide": type("Command", (), {"params": [type("Option", (), {"opts": ["--minimax", "-m"]})]})
    }
    advice = Advice("minimax", "")
    assert Wording.of(commands, ["decide", "p.json"])(advice)
    assert Wording.of(commands, ["decide", "p.json", "--", "--minimax"])(advice)
    assert Wording.of(commands, ["decide", "p.json", "--minimax"])(advice) == ""
    assert Wording.of(commands, ["report"]) == Wording()


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
