"""What a classifier is asked, and which way its answer points."""

from typing import Any

import numpy as np
import pytest

from rochull._core.responses import class_outputs, method_of, positive_output, positive_scores

X = np.array([[1.0], [-2.0]])


class Says:
    """A classifier that says what it is told to, by any method."""

    def __init__(self, classes: Any = ("a", "b"), **answers: Any) -> None:
        self.classes_ = np.array(classes)
        for name, answer in answers.items():
            setattr(self, name, lambda X, answer=answer: np.array(answer))


@pytest.mark.parametrize(
    ("answers", "a", "b"),
    [
        ({"decision_function": [1.0, -2.0]}, [-1, 2], [1, -2]),
        ({"decision_function": [1, -2]}, [-1, 2], [1, -2]),
        ({"predict_llr": [1.0, -2.0]}, [-1, 2], [1, -2]),
        ({"predict_proba": [[0.3, 0.7], [0.9, 0.1]]}, [0.3, 0.9], [0.7, 0.1]),
        ({"predict": ["b", "a"]}, [0, 1], [1, 0]),
    ],
)
def test_scores_rise_with_the_positive_class(answers: Any, a: list[float], b: list[float]) -> None:
    ((method, _),) = answers.items()
    fitted = Says(**answers)
    for positive, expected in (("a", a), ("b", b)):
        assert positive_output(fitted, X, method, ["a", "b"], positive).tolist() == expected


def test_a_detector_tells_no_classes() -> None:
    assert positive_output(Says(score_samples=[3.0, 4.0]), X, "score_samples", [], 1).tolist() == [3, 4]


def test_columns_are_those_of_the_classifier() -> None:
    fitted = Says(("b", "c", "a"), predict_proba=[[0.2, 0.3, 0.5]])
    assert class_outputs(fitted, X, "predict_proba", ["a", "b", "c"]).tolist() == [[0.5, 0.2, 0.3]]
    with pytest.raises(ValueError, match=r"its classes are \['b', 'c', 'a'\], without 'd'"):
        class_outputs(fitted, X, "predict_proba", ["a", "d"])


def test_what_is_refused() -> None:
    fitted = Says(predict=["b", "z"])
    assert method_of(fitted, ("predict_proba", "predict")) == "predict"
    with pytest.raises(ValueError, match=r"estimator: Says has no decision_function or predict_proba\."):
        method_of(fitted, ("decision_function", "predict_proba"))
    with pytest.raises(ValueError, match="predict of Says gives 'z', but the classes are 'a', 'b'"):
        positive_output(fitted, X, "predict", ["a", "b"], "a")
    with pytest.raises(ValueError, match=r"its classes are \['a', 'b'\], but those of y are \['a', 'c'\]"):
        positive_scores(fitted, X, ("predict",), np.array(["a", "c"]), 1)
