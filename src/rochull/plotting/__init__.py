"""Displays: numbers first, drawn by matplotlib when they are asked to be.

``compute`` returns the numbers, ``from_predictions`` and ``from_estimator`` draw them too, and
``plot`` draws them again, on axes of your own if you like.
"""

from rochull.plotting.cost import CostCurveDisplay
from rochull.plotting.det import DetDisplay
from rochull.plotting.error_surface import ErrorSurfaceDisplay
from rochull.plotting.mean_roc import MeanRocDisplay
from rochull.plotting.multiclass_confusion import MulticlassConfusionDisplay
from rochull.plotting.pairwise_errors import PairwiseErrorDisplay
from rochull.plotting.prior import ApeDisplay, BayesErrorDisplay, EceDisplay
from rochull.plotting.reliability import ReliabilityDisplay
from rochull.plotting.roc_band import RocBandDisplay
from rochull.plotting.roc_comparison import RocComparisonDisplay
from rochull.plotting.score_to_llr import ScoreToLlrDisplay
from rochull.plotting.segment_gain import SegmentGainDisplay
from rochull.plotting.segment_thresholds import SegmentThresholdDisplay
from rochull.plotting.significance import SignificanceDisplay
from rochull.plotting.threshold_spread import ThresholdSpreadDisplay
from rochull.plotting.tippett import TippettDisplay

__all__ = [
    "ApeDisplay",
    "BayesErrorDisplay",
    "CostCurveDisplay",
    "DetDisplay",
    "EceDisplay",
    "ErrorSurfaceDisplay",
    "MeanRocDisplay",
    "MulticlassConfusionDisplay",
    "PairwiseErrorDisplay",
    "ReliabilityDisplay",
    "RocBandDisplay",
    "RocComparisonDisplay",
    "ScoreToLlrDisplay",
    "SegmentGainDisplay",
    "SegmentThresholdDisplay",
    "SignificanceDisplay",
    "ThresholdSpreadDisplay",
    "TippettDisplay",
]
