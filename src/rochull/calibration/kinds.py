"""The kinds of calibrators, in one table, and what reads a file of any of them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from rochull.calibration.base import Calibrator

    C = TypeVar("C", bound=Calibrator)

# Kind, in documents and on the command line -> where its class is. A new calibrator adds its line here.
KINDS = {
    "pav": "rochull.calibration.pav:PavCalibrator",
    "logistic": "rochull.calibration.parametric:LogisticCalibrator",
    "beta": "rochull.calibration.parametric:BetaCalibrator",
}


def _fields_of(kind: str) -> Mapping[str, Any] | None:
    """What a document of a kind holds; None if there is no such kind."""
    return calibrator_class(kind).fields if kind in KINDS else None


def calibrator_class(kind: str) -> type[Calibrator]:
    """The class of a kind."""
    module, _, name = KINDS[kind].partition(":")
    found: type[Calibrator] = getattr(import_module(module), name)
    return found


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
    found: Calibrator = loaded(path)
    return found


def loaded(path: str | os.PathLike[str], wanted: type[C] | None = None) -> Any:
    """The calibrator in a file, if it is of the class that is wanted."""
    from rochull.calibration.schema import parse

    try:
        document = parse(Path(path).read_bytes(), _fields_of)
        found = calibrator_class(document["kind"])
        if wanted is not None and not issubclass(wanted, found):
            raise ValueError(
                f"this is a calibrator of kind {document['kind']!r}; load_calibrator reads every kind."
            )
        restored = (wanted or found)._restore(document)
    except ValueError as error:
        raise ValueError(f"{os.fspath(path)}: {error}") from None
    restored.pos_label, restored.about, restored.n_features_in_ = document["pos_label"], document["about"], 1
    return restored
