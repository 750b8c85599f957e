"""Calibrators are transformers of scikit-learn from when anybody can tell, and need it no sooner."""

import subprocess
import sys
from pathlib import Path

import rochull as rh
from rochull._core.late_bases import unfitted

# Each question is put, in a process of its own, to a calibrator that was loaded before scikit-learn was.
ASKED = """
import copy, os, pickle, sys
import rochull as rh
calibrator = rh.PavCalibrator.load("saved")
posterior = calibrator.posterior([0.3]).tolist()
copied = copy.deepcopy(pickle.loads(pickle.dumps(calibrator)))
assert not hasattr(calibrator, "feature_names_in_")
assert not {"numba", "pandas", "scipy", "sklearn"} & {*sys.modules}
import sklearn
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.pipeline import make_pipeline
from sklearn.utils import get_tags
assert not isinstance(calibrator, BaseEstimator)
sklearn.set_config(enable_metadata_routing=True)
for ask in sys.stdin.read().splitlines():
    child = os.fork()
    if not child:
        exec(ask)
        assert isinstance(calibrator, TransformerMixin) and isinstance(calibrator, BaseEstimator)
        assert copied.posterior([0.3]).tolist() == posterior
        os._exit(0)
    if os.waitpid(child, 0)[1]:
        sys.exit(ask)
"""
ASKS = """
assert clone(calibrator).bound == "laplace"
assert repr(calibrator) == "PavCalibrator(bound='laplace')"
assert calibrator.get_params()["bound"] == "laplace"
assert calibrator.set_output(transform="pandas").transform([0.3]).columns[0] == "pavcalibrator0"
assert make_pipeline(calibrator).transform([0.3]).tolist() == posterior
assert calibrator.fit_transform([1, 2, 3], [0, 1, 1]).shape == (3,)
assert get_tags(calibrator).input_tags.one_d_array and get_tags(calibrator).transformer_tags
assert calibrator.set_params(strict=True) is calibrator
assert calibrator.set_fit_request(sample_weight=True) is calibrator
assert rh.PavCalibrator()
assert repr(rh.LogisticCalibrator(0.3)) and rh.ConcavityRepair(0.001) and rh.calibration.KdeCalibrator(bound="elub")
assert rh.LogisticCalibrator().get_metadata_routing()
assert not hasattr(calibrator, "no_such_name")
assert "PavCalibrator(" in calibrator._repr_mimebundle_()["text/plain"]
""".strip()


def test_scikit_learn_finds_what_it_asks_for(tmp_path: Path) -> None:
    calibrator = rh.PavCalibrator(bound="laplace").fit([0.1, 0.2, 0.3, 0.4], [0, 1, 0, 1])
    calibrator.save(tmp_path / "saved")
    command = [sys.executable, "-c", ASKED]
    done = subprocess.run(command, input=ASKS, cwd=tmp_path, text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr


def test_unfitted_has_the_parameters_alone() -> None:
    calibrator = rh.PavCalibrator("linear", pos_label="b").fit([1.0, 2.0], ["a", "b"])
    assert unfitted(calibrator).get_params() == calibrator.get_params()
    assert vars(unfitted(calibrator)) == vars(rh.PavCalibrator("linear", pos_label="b"))
