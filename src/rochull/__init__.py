"""rochull: from classifier scores to decisions.

Public names are loaded when they are first used, so that ``import rochull`` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from rochull._version import __version__

# Public name -> the module that defines it. The only list of what is public.
_HOME = {
    "Accuracy": "conditions",
    "ApeDisplay": "plotting",
    "AucCovariance": "delong",
    "BayesErrorDisplay": "plotting",
    "BetaCalibrator": "parametric",
    "BetaScore": "scoring_rules",
    "Blocks": "blocks",
    "BootstrapInterval": "resampling",
    "Brier": "scoring_rules",
    "Capacity": "conditions",
    "ChunkSource": "sources",
    "ConcavityRepair": "concavities",
    "Constrained": "conditions",
    "CostCurve": "cost_curves",
    "CostCurveDisplay": "plotting",
    "CostWeighted": "scoring_rules",
    "Decomposition": "scoring",
    "DetDisplay": "plotting",
    "EceDisplay": "plotting",
    "ExpectedCost": "conditions",
    "HullMembership": "bands",
    "Hybrid": "hybrid",
    "ImpreciseConditionError": "conditions",
    "InfeasibleConditionError": "conditions",
    "Interval": "_results",
    "LogScore": "scoring_rules",
    "LogisticCalibrator": "parametric",
    "MeanRocDisplay": "plotting",
    "MinimumPrecision": "conditions",
    "MinimumRecall": "conditions",
    "NeymanPearson": "conditions",
    "OperatingPoint": "rules",
    "OperatingPointAverage": "averaging",
    "Optimism": "in_sample",
    "PavCalibratedClassifier": "estimators",
    "PavCalibrator": "calibration",
    "Policy": "policy",
    "PolicyError": "policy",
    "PriorCurve": "prior_curves",
    "ReliabilityDisplay": "plotting",
    "Report": "report",
    "Resample": "_resample",
    "RocBand": "bands",
    "RocBandDisplay": "plotting",
    "RocCurve": "curve",
    "RocHull": "hull",
    "Rule": "rules",
    "SampleSize": "rates",
    "ScoreToLlrDisplay": "plotting",
    "ScoringRule": "scoring_rules",
    "SignificanceDisplay": "plotting",
    "Tally": "_tally",
    "TestResult": "_results",
    "ThresholdRates": "rates",
    "ThresholdSpreadDisplay": "plotting",
    "TippettDisplay": "plotting",
    "Uncertainty": "report",
    "Utility": "conditions",
    "VennAbers": "venn_abers",
    "VennAbersClassifier": "estimators",
    "ape_curve": "prior_curves",
    "auc_covariance": "delong",
    "auc_interval": "delong",
    "auc_power": "rates",
    "auc_sample_size": "rates",
    "bayes_error_curve": "prior_curves",
    "bootstrap": "resampling",
    "brier_curve": "cost_curves",
    "cllr": "scoring",
    "concatenate": "blocks",
    "cost_curve": "cost_curves",
    "cross_validate_roc": "averaging",
    "dcf": "scoring",
    "decide_by_llr": "bayes",
    "decide_by_posterior": "bayes",
    "decompose": "scoring",
    "delong_test": "delong",
    "ece_curve": "prior_curves",
    "eer": "scoring",
    "h_measure": "scoring",
    "hull_membership": "bands",
    "llr_from_posterior": "bayes",
    "load_calibrator": "calibration",
    "min_cllr": "scoring",
    "min_dcf": "scoring",
    "operating_point_average": "averaging",
    "optimism": "in_sample",
    "pooled_average": "averaging",
    "posterior_from_llr": "bayes",
    "rate_interval": "rates",
    "rates_at_threshold": "rates",
    "roc_auc": "curve",
    "roc_band": "bands",
    "roc_curve": "curve",
    "roc_hull": "hull",
    "tally": "_tally",
    "threshold_average": "averaging",
    "union": "_union",
    "venkatraman_test": "curve_tests",
    "vertical_average": "averaging",
}
_SUBPACKAGES = ("datasets",)

__all__ = ["__version__", *_SUBPACKAGES, *_HOME]  # noqa: PLE0604 - strings, from a dict

if TYPE_CHECKING:
    from rochull import datasets as datasets
    from rochull._resample import Resample as Resample
    from rochull._results import Interval as Interval
    from rochull._results import TestResult as TestResult
    from rochull._tally import Tally as Tally
    from rochull._tally import tally as tally
    from rochull._union import union as union
    from rochull.averaging import OperatingPointAverage as OperatingPointAverage
    from rochull.averaging import cross_validate_roc as cross_validate_roc
    from rochull.averaging import operating_point_average as operating_point_average
    from rochull.averaging import pooled_average as pooled_average
    from rochull.averaging import threshold_average as threshold_average
    from rochull.averaging import vertical_average as vertical_average
    from rochull.bands import HullMembership as HullMembership
    from rochull.bands import RocBand as RocBand
    from rochull.bands import hull_membership as hull_membership
    from rochull.bands import roc_band as roc_band
    from rochull.bayes import decide_by_llr as decide_by_llr
    from rochull.bayes import decide_by_posterior as decide_by_posterior
    from rochull.bayes import llr_from_posterior as llr_from_posterior
    from rochull.bayes import posterior_from_llr as posterior_from_llr
    from rochull.blocks import Blocks as Blocks
    from rochull.blocks import concatenate as concatenate
    from rochull.calibration import PavCalibrator as PavCalibrator
    from rochull.calibration import load_calibrator as load_calibrator
    from rochull.concavities import ConcavityRepair as ConcavityRepair
    from rochull.conditions import Accuracy as Accuracy
    from rochull.conditions import Capacity as Capacity
    from rochull.conditions import Constrained as Constrained
    from rochull.conditions import ExpectedCost as ExpectedCost
    from rochull.conditions import ImpreciseConditionError as ImpreciseConditionError
    from rochull.conditions import InfeasibleConditionError as InfeasibleConditionError
    from rochull.conditions import MinimumPrecision as MinimumPrecision
    from rochull.conditions import MinimumRecall as MinimumRecall
    from rochull.conditions import NeymanPearson as NeymanPearson
    from rochull.conditions import Utility as Utility
    from rochull.cost_curves import CostCurve as CostCurve
    from rochull.cost_curves import brier_curve as brier_curve
    from rochull.cost_curves import cost_curve as cost_curve
    from rochull.curve import RocCurve as RocCurve
    from rochull.curve import roc_auc as roc_auc
    from rochull.curve import roc_curve as roc_curve
    from rochull.curve_tests import venkatraman_test as venkatraman_test
    from rochull.delong import AucCovariance as AucCovariance
    from rochull.delong import auc_covariance as auc_covariance
    from rochull.delong import auc_interval as auc_interval
    from rochull.delong import delong_test as delong_test
    from rochull.estimators import PavCalibratedClassifier as PavCalibratedClassifier
    from rochull.estimators import VennAbersClassifier as VennAbersClassifier
    from rochull.hull import RocHull as RocHull
    from rochull.hull import roc_hull as roc_hull
    from rochull.hybrid import Hybrid as Hybrid
    from rochull.in_sample import Optimism as Optimism
    from rochull.in_sample import optimism as optimism
    from rochull.parametric import BetaCalibrator as BetaCalibrator
    from rochull.parametric import LogisticCalibrator as LogisticCalibrator
    from rochull.plotting import ApeDisplay as ApeDisplay
    from rochull.plotting import BayesErrorDisplay as BayesErrorDisplay
    from rochull.plotting import CostCurveDisplay as CostCurveDisplay
    from rochull.plotting import DetDisplay as DetDisplay
    from rochull.plotting import EceDisplay as EceDisplay
    from rochull.plotting import MeanRocDisplay as MeanRocDisplay
    from rochull.plotting import ReliabilityDisplay as ReliabilityDisplay
    from rochull.plotting import RocBandDisplay as RocBandDisplay
    from rochull.plotting import ScoreToLlrDisplay as ScoreToLlrDisplay
    from rochull.plotting import SignificanceDisplay as SignificanceDisplay
    from rochull.plotting import ThresholdSpreadDisplay as ThresholdSpreadDisplay
    from rochull.plotting import TippettDisplay as TippettDisplay
    from rochull.policy import Policy as Policy
    from rochull.policy import PolicyError as PolicyError
    from rochull.prior_curves import PriorCurve as PriorCurve
    from rochull.prior_curves import ape_curve as ape_curve
    from rochull.prior_curves import bayes_error_curve as bayes_error_curve
    from rochull.prior_curves import ece_curve as ece_curve
    from rochull.rates import SampleSize as SampleSize
    from rochull.rates import ThresholdRates as ThresholdRates
    from rochull.rates import auc_power as auc_power
    from rochull.rates import auc_sample_size as auc_sample_size
    from rochull.rates import rate_interval as rate_interval
    from rochull.rates import rates_at_threshold as rates_at_threshold
    from rochull.report import Report as Report
    from rochull.report import Uncertainty as Uncertainty
    from rochull.resampling import BootstrapInterval as BootstrapInterval
    from rochull.resampling import bootstrap as bootstrap
    from rochull.rules import OperatingPoint as OperatingPoint
    from rochull.rules import Rule as Rule
    from rochull.scoring import Decomposition as Decomposition
    from rochull.scoring import cllr as cllr
    from rochull.scoring import dcf as dcf
    from rochull.scoring import decompose as decompose
    from rochull.scoring import eer as eer
    from rochull.scoring import h_measure as h_measure
    from rochull.scoring import min_cllr as min_cllr
    from rochull.scoring import min_dcf as min_dcf
    from rochull.scoring_rules import BetaScore as BetaScore
    from rochull.scoring_rules import Brier as Brier
    from rochull.scoring_rules import CostWeighted as CostWeighted
    from rochull.scoring_rules import LogScore as LogScore
    from rochull.scoring_rules import ScoringRule as ScoringRule
    from rochull.sources import ChunkSource as ChunkSource
    from rochull.venn_abers import VennAbers as VennAbers


def __getattr__(name: str) -> Any:
    if name in _SUBPACKAGES:
        return import_module(f"{__name__}.{name}")
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
