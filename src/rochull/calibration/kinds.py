"""The calibrators that can be saved, in one table, and what reads a file of any of them."""

from __future__ import annotations

import os
from typing import Any

from rochull._core.documents import read_file
from rochull._core.schemas import Schema, one_of
from rochull.calibration.base import Calibrator
from rochull.calibration.parametric import BetaCalibrator, LogisticCalibrator
from rochull.calibration.pav import PavCalibrator

# Kind in a document -> the class that writes and reads it.
KINDS: dict[str, type[Calibrator]] = {
    "pav": PavCalibrator,
    "logistic": LogisticCalibrator,
    "beta": BetaCalibrator,
}
_ANY = Schema("rochull-calibrator", "calibrator", {"kind": one_of(*KINDS)})  # fits no whole document


def calibrator_of(document: Any) -> Calibrator:
    """The fitted calibrator that a document describes; ValueError says in one sentence what is wrong."""
    kind = document.get("kind") if isinstance(document, dict) else None
    known = [read for name, read in KINDS.items() if name == kind]
    if not known:
        _ANY.checked(document)  # says what is wrong
    return known[0].from_dict(document)


def load_calibrator(path: str | os.PathLike[str]) -> Calibrator:
    """Read a calibrator from a file.

    Parameters
    ----------
    path : str or path-like
        What the method `save` of a :class:`PavCalibrator`, :class:`LogisticCalibrator` or
        :class:`BetaCalibrator` wrote.

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
    return read_file(path, lambda text: calibrator_of(_ANY.parsed(text)))
