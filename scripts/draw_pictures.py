"""Draw the documentation's pictures that displays draw: python scripts/draw_pictures.py."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import matplotlib as mpl
import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import StratifiedKFold, cross_val_predict

import rochull as rh

ROOT = Path(__file__).resolve().parent.parent
IMAGES = ROOT / "docs" / "images"


def hybrid() -> None:
    """The README's picture is that of the gallery example."""
    sys.argv[1:] = [str(IMAGES)]
    runpy.run_path(str(ROOT / "examples" / "german_credit_hybrid.py"))


def surface() -> None:
    """Three classes of vehicles, as in docs/multiclass.md."""
    table = rh.datasets.load("vehicle")
    y = table.pop("Class")
    X = np.column_stack(list(table.values()))
    X, y = X[y != "bus"], y[y != "bus"]
    folds = StratifiedKFold(10, shuffle=True, random_state=0)
    outputs = cross_val_predict(LinearDiscriminantAnalysis(), X, y, cv=folds, method="predict_proba")
    display = rh.plotting.ErrorSurfaceDisplay.from_predictions(y, outputs)
    display.figure_.savefig(IMAGES / "multiclass_surface.png", dpi=120)


if __name__ == "__main__":
    mpl.use("Agg")
    hybrid()
    surface()
