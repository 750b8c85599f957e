"""Cards of calibrators in a notebook: what the map says, at the scores where it changes."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import rochull as rh
from calibrator_cases import CALIBRATORS, SEVERAL
from rochull.calibration.kinds import load_calibrator

RNG = np.random.default_rng(0)
Y = np.arange(300) % 2
PROBABILITY = 1 / (1 + np.exp(-RNG.normal(size=300) - Y))


def numbers(page: str) -> list[list[float]]:
    """The rows of its table, in full."""
    rows = [re.findall(r'title="([^"]+)"', row) for row in re.findall(r"<tr>(.*?)</tr>", page)]
    return [[float(cell) for cell in row] for row in rows if row]


def line(page: str) -> np.ndarray[Any, Any]:
    """The points of the map in the picture, from 0 to 1 both ways."""
    drawn = re.findall(r'points="([^"]+)" fill="none" stroke="#', page)[0]
    across, down = np.array([point.split(",") for point in drawn.split()], float).T
    return np.column_stack([(across - 6) / 120, (126 - down) / 120])


MAPS = [*CALIBRATORS, rh.calibration.GaussianCalibrator(), rh.calibration.KdeCalibrator()]


@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("made", MAPS, ids=lambda made: type(made).__name__)
def test_a_card_says_what_the_map_says(made: Any, lower: bool) -> None:
    scores = PROBABILITY if made.takes == "probabilities" else 4 * PROBABILITY
    fitted = clone(made).set_params(lower_is_positive=lower and made.takes != "probabilities")
    fitted.fit(-scores if fitted.lower_is_positive else scores, Y)
    page = fitted._repr_mimebundle_()["text/html"]
    score, posterior, llr = np.array(numbers(page)).T
    inside = score if fitted.steps() is None else fitted.steps()[1]
    assert posterior.tolist() == fitted.posterior(inside).tolist()
    assert llr.tolist() == fitted.llr(inside).tolist()
    low, high = map(float, re.findall(r"from (\S+) to (\S+)\.", page)[0])
    x, y = line(page).T
    assert np.median(np.abs(fitted.posterior(low + (high - low) * x) - y)) < 0.01
    assert abs(y[-1] - y[0]) > 0.5  # most of what it says is in the picture


def test_steps_begin_where_the_table_says() -> None:
    fitted = rh.PavCalibrator().fit(4 * PROBABILITY, Y)
    score, posterior, _ = np.array(numbers(fitted._repr_html_())).T
    assert score[0] == -np.inf
    assert fitted.posterior(score).tolist() == posterior.tolist()
    assert (fitted.posterior(np.nextafter(score[1:], -np.inf)) == posterior[:-1]).all()


@pytest.mark.parametrize("labels", [[1, 1, 0, 0], [0, 0, 1, 1], [1, 0, 1, 0]])
def test_a_map_that_says_little_has_a_card(labels: list[int]) -> None:
    for made in (rh.PavCalibrator(), rh.PavCalibrator("linear"), rh.calibration.GaussianCalibrator()):
        page = made.fit([1, 2, 3, 4], labels)._repr_html_()
        assert "nan" not in page


def test_several_columns_have_a_weight_each() -> None:
    both = {"<b>a</b>": PROBABILITY, "b": PROBABILITY**2}
    fusion = rh.LogisticFusion().fit(both, Y)
    page = fusion._repr_html_()
    assert [row[0] for row in numbers(page)] == fusion.coef_.tolist()
    assert "&lt;b&gt;a" in page
    page = SEVERAL.fit(np.column_stack([PROBABILITY, PROBABILITY]), Y)._repr_html_()
    assert f"SumCalibrator, fitted at prevalence {Y.mean():.4g}" in page


def test_pipelines_and_what_is_not_fitted_keep_their_diagram() -> None:
    calibrator = rh.PavCalibrator()
    page = calibrator._repr_mimebundle_()["text/html"]
    assert "sk-toggleable" in page
    whole = make_pipeline(calibrator, LogisticRegression())
    assert "PavCalibrator" in whole._repr_mimebundle_()["text/html"]
    whole[0].fit(PROBABILITY, Y)
    assert "PavCalibrator" in whole._repr_mimebundle_()["text/html"]
    assert "<svg role" not in whole._repr_mimebundle_()["text/html"]


def test_a_loaded_one_needs_no_scikit_learn(tmp_path: Path) -> None:
    rh.PavCalibrator().fit(PROBABILITY, Y).save(tmp_path / "c.json")
    page = load_calibrator(tmp_path / "c.json")._repr_html_()
    code = (
        "import sys; from rochull.calibration.kinds import load_calibrator; "
        "print(load_calibrator(sys.argv[1])._repr_html_(), {'sklearn', 'scipy'} & {*sys.modules})"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "c.json")]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert done.stdout.strip() == f"{page} set()"
