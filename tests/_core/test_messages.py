"""Messages as data: their parts are worded by whoever shows them."""

import pickle
from typing import Any

import pytest

from rochull._core.messages import (
    Advice,
    Column,
    Message,
    Parameter,
    Refusal,
    Setting,
    Told,
    WrongType,
    message_of,
)


def flags(part: Any) -> str:
    match part:
        case Advice():
            return ""
        case Setting(name=name, value=value):
            return f"--{name.replace('_', '-')} {value}"
        case Column(column=column):
            return f"score column {column!r}"
        case Parameter(name=name):
            return f"--{name.replace('_', '-')}"
    return str(part)


ADVICE = Advice("minimax", "Try minimax=True.")


def test_a_message_reads_in_python_as_a_plain_sentence() -> None:
    found = Refusal("{} must be at most {}, but is {}.", Parameter("max_fpr"), 1, 1.5)
    assert str(found) == "max_fpr must be at most 1, but is 1.5."
    assert isinstance(found, ValueError)
    assert found.parameter == "max_fpr"


def test_whoever_shows_a_message_words_its_parts() -> None:
    message = Message(
        "{} and {} of {} exclude each other.", Setting("key", 3), Parameter("random_state"), 2.0
    )
    assert message.told(flags) == "--key 3 and --random-state of 2.0 exclude each other."
    assert str(message) == "key=3 and random_state of 2.0 exclude each other."


def test_advice_that_is_none_where_it_is_shown_leaves_no_gap() -> None:
    error = Refusal("{} is an interval. {}", Setting("cost_fn", (2, 5)), ADVICE)
    assert str(error) == "cost_fn=(2, 5) is an interval. Try minimax=True."
    assert error.message.told(flags) == "--cost-fn (2, 5) is an interval."
    assert error.advice == ("minimax",)


def test_an_error_within_a_message_is_worded_likewise() -> None:
    inner = Refusal("{} has NaN.", Column("y_score", "knn"))
    outer = Refusal("row 3: {}", inner)
    assert str(outer) == "row 3: y_score of 'knn' has NaN."
    assert outer.message.told(flags) == "row 3: score column 'knn' has NaN."
    assert outer.parameter == "y_score"


def test_a_text_alone_is_taken_as_it_stands() -> None:
    error = Refusal("a {brace} is no slot here")
    assert str(error) == error.message.told(flags) == "a {brace} is no slot here"
    assert error.parameter is None


@pytest.mark.parametrize("kind", [Refusal, WrongType])
def test_an_error_survives_pickling_with_its_parts(kind: type[Told]) -> None:
    error = kind("{} is {}.", Parameter("x"), 2)
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is kind
    assert (str(copy), copy.parameter) == ("x is 2.", "x")


def test_what_is_no_message_holds_none() -> None:
    assert message_of("text") is None
    assert message_of(ValueError("x")) is None
