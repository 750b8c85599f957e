"""The kinds of calibrators, in one table, and what reads a file of any of them."""

from __future__ import annotations

import os
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # the command line asks for kinds, and must not load what fits them
    from rochull._core.schemas import Schema
    from rochull.calibration.base import Calibrator

# Kind, in documents and on the command line -> where its class is. A new calibrator adds its line here.
CALIBRATORS = {
    "pav": "rochull.calibration.pav:PavCalibrator",
    "logistic": "rochull.calibration.parametric:LogisticCalibrator",
    "beta": "rochull.calibration.parametric:BetaCalibrator",
    "four-parameter": "rochull.calibration.four_parameter:FourParameterCalibrator",
    "gaussian": "rochull.calibration.gaussian:GaussianCalibrator",
    "kde": "rochull.calibration.kde:KdeCalibrator",
    "temperature": "rochull.calibration.temperature:TemperatureCalibrator",
    "fusion": "rochull.calibration.fusion:LogisticFusion",
}


def calibrator_class(kind: str) -> type[Calibrator]:
    """The class of a kind."""
    module, _, name = CALIBRATORS[kind].partition(":")
    found: type[Calibrator] = getattr(import_module(module), name)
    return found


def _of_any_kind() -> Schema:
    """The schema that all documents of calibrators share; it fits no whole one."""
    from rochull._core.schemas import Schema, one_of

    return Schema("rochull-calibrator", "calibrator", {"kind": one_of(*CALIBRATORS)})


def calibrator_of(document: Any) -> Calibrator:
    """The fitted calibrator that a document describes; ValueError says in one sentence what is wrong."""
    kind = document.get("kind") if isinstance(document, dict) else None
    if not isinstance(kind, str) or kind not in CALIBRATORS:
        _of_any_kind().checked(document)  # says what is wrong
    return calibrator_class(str(kind)).from_dict(document)


def load_calibrator(path: str | os.PathLike[str]) -> Calibrator:
    """Read a calibrator from a file.

    Parameters
    ----------
    path : str or path-like
        What the method `save` of a calibrator wrote, such as a :class:`PavCalibrator`.

    Returns
    -------
    calibrator
        Of the class that wrote it. It is fitted, and needs no data.

    Raises
    ------
    ValueError
        If the file is not a valid calibrator; one sentence says what is wrong. No file can make this
        run code.
    OSError
        If it cannot be read.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import rochull as rh
    >>> calibrator = rh.PavCalibrator(bound="laplace").fit([0.9, 0.8, 0.7, 0.1], [1, 0, 1, 0])
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     calibrator.save(Path(directory) / "calibrator.json")
    ...     loaded = rh.load_calibrator(Path(directory) / "calibrator.json")
    >>> loaded.posterior([0.95, 0.75, 0.2]).tolist() == calibrator.posterior([0.95, 0.75, 0.2]).tolist()
    True
    """
    from rochull._core.documents import read_file

    return read_file(path, lambda text: calibrator_of(_of_any_kind().parsed(text)))
