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
    "AreaBound": "scanning.areas",
    "AssuredChoice": "_assured",
    "AucCovariance": "delong",
    "AuxiliaryRanking": "segment_ranking",
    "BayesErrorDisplay": "plotting",
    "BetaCalibrator": "parametric",
    "BetaScore": "scoring_rules",
    "Blocks": "blocks",
    "BootstrapInterval": "resampling",
    "Brier": "scoring_rules",
    "Capacity": "conditions",
    "Cell": "multiclass.measures",
    "ChunkSource": "sources",
    "ConcavityRepair": "concavities",
    "Constrained": "conditions",
    "CostCurve": "cost_curves",
    "CostCurveDisplay": "plotting",
    "CostMatrix": "multiclass.measures",
    "CostWeighted": "scoring_rules",
    "Decomposition": "scoring",
    "DetDisplay": "plotting",
    "EceDisplay": "plotting",
    "Error": "multiclass.measures",
    "ErrorRate": "multiclass.measures",
    "ErrorRedistribution": "segments",
    "ErrorRedistributionClassifier": "redistribution",
    "ErrorSurfaceDisplay": "plotting",
    "ExpectedCost": "conditions",
    "GroupRule": "group_constraints",
    "HullMembership": "bands",
    "Hybrid": "hybrid",
    "ImpreciseConditionError": "imprecision",
    "InfeasibleConditionError": "conditions",
    "InfeasibleLimitsError": "multiclass.points",
    "Interval": "_results",
    "Knob": "knob",
    "Limit": "multiclass.measures",
    "LogScore": "scoring_rules",
    "LogisticCalibrator": "parametric",
    "MaxError": "multiclass.measures",
    "MeanRocDisplay": "plotting",
    "MinimumPrecision": "conditions",
    "MinimumRecall": "conditions",
    "MulticlassAverage": "multiclass.averaging",
    "MulticlassCalibrator": "multiclass.calibration",
    "MulticlassConfusionDisplay": "plotting",
    "MulticlassPoint": "multiclass.points",
    "MulticlassPoints": "multiclass.points",
    "MulticlassPolicy": "multiclass.policy",
    "MulticlassReport": "report.multiclass",
    "MulticlassRoc": "multiclass.roc",
    "MulticlassScorer": "multiclass.scorer",
    "MulticlassThresholdClassifier": "multiclass.classifier",
    "NeymanPearson": "conditions",
    "OperatingPoint": "rules",
    "OperatingPointAverage": "averaging",
    "Optimism": "in_sample",
    "PairwiseErrorDisplay": "plotting",
    "PavCalibratedClassifier": "estimators",
    "PavCalibrator": "calibration",
    "Policy": "policy",
    "PolicyError": "policy",
    "PotentiallyOptimal": "_imprecise",
    "PrevalenceEstimate": "prevalence",
    "PriorCurve": "prior_curves",
    "Regret": "_regret",
    "RegretTable": "_regret",
    "ReliabilityDisplay": "plotting",
    "Report": "report",
    "Resample": "_resample",
    "Restriction": "_restrict",
    "RocBand": "bands",
    "RocBandDisplay": "plotting",
    "RocComparisonDisplay": "plotting",
    "RocCurve": "curve",
    "RocHull": "hull",
    "RocchClassifier": "rocch",
    "RocchCrossValidation": "rocch",
    "RocchEvaluation": "rocch",
    "Rule": "rules",
    "SampleSize": "rates",
    "Scan": "scanning.scan",
    "ScoreToLlrDisplay": "plotting",
    "ScoringRule": "scoring_rules",
    "SegmentGainDisplay": "plotting",
    "SegmentPolicy": "segment_policy",
    "SegmentThresholdDisplay": "plotting",
    "Segmentation": "report",
    "SegmentedRule": "rules",
    "Sensitivity": "_imprecise",
    "SignificanceDisplay": "plotting",
    "StratifiedHull": "_stratify",
    "SupervisedComponents": "_segment_components",
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
    "benefit_cost_ratio": "_segment_gaussian",
    "bootstrap": "resampling",
    "brier_curve": "cost_curves",
    "cllr": "scoring",
    "concatenate": "blocks",
    "constrain_groups": "group_constraints",
    "cost_curve": "cost_curves",
    "cross_validate_multiclass": "multiclass.averaging",
    "cross_validate_roc": "averaging",
    "cross_validate_rocch": "rocch",
    "dcf": "scoring",
    "decide_by_llr": "bayes",
    "decide_by_posterior": "bayes",
    "decompose": "scoring",
    "delong_test": "delong",
    "ece_curve": "prior_curves",
    "eer": "scoring",
    "estimate_prevalence": "prevalence",
    "gradient_thresholds": "_segment_gaussian",
    "h_measure": "scoring",
    "hand_till": "multiclass.ranking",
    "hand_till_interval": "multiclass.ranking",
    "hull_membership": "bands",
    "llr_from_posterior": "bayes",
    "load_calibrator": "calibration",
    "min_cllr": "scoring",
    "min_dcf": "scoring",
    "multiclass_average": "multiclass.averaging",
    "multiclass_cllr": "multiclass.scoring",
    "multiclass_scorer": "multiclass.scorer",
    "operating_point_average": "averaging",
    "optimism": "in_sample",
    "pairwise_auc": "multiclass.ranking",
    "pooled_average": "averaging",
    "posterior_from_llr": "bayes",
    "rank_auxiliary_features": "segment_ranking",
    "rate_interval": "rates",
    "rates_at_threshold": "rates",
    "roc_auc": "curve",
    "roc_band": "bands",
    "roc_curve": "curve",
    "roc_hull": "hull",
    "scan": "scanning.scan",
    "spark_calibrate": "spark",
    "spark_decide": "spark",
    "stratify": "_stratify",
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
    from rochull._assured import AssuredChoice as AssuredChoice
    from rochull._imprecise import PotentiallyOptimal as PotentiallyOptimal
    from rochull._imprecise import Sensitivity as Sensitivity
    from rochull._regret import Regret as Regret
    from rochull._regret import RegretTable as RegretTable
    from rochull._resample import Resample as Resample
    from rochull._restrict import Restriction as Restriction
    from rochull._results import Interval as Interval
    from rochull._results import TestResult as TestResult
    from rochull._segment_components import SupervisedComponents as SupervisedComponents
    from rochull._segment_gaussian import benefit_cost_ratio as benefit_cost_ratio
    from rochull._segment_gaussian import gradient_thresholds as gradient_thresholds
    from rochull._stratify import StratifiedHull as StratifiedHull
    from rochull._stratify import stratify as stratify
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
    from rochull.group_constraints import GroupRule as GroupRule
    from rochull.group_constraints import constrain_groups as constrain_groups
    from rochull.hull import RocHull as RocHull
    from rochull.hull import roc_hull as roc_hull
    from rochull.hybrid import Hybrid as Hybrid
    from rochull.imprecision import ImpreciseConditionError as ImpreciseConditionError
    from rochull.in_sample import Optimism as Optimism
    from rochull.in_sample import optimism as optimism
    from rochull.knob import Knob as Knob
    from rochull.multiclass.averaging import MulticlassAverage as MulticlassAverage
    from rochull.multiclass.averaging import cross_validate_multiclass as cross_validate_multiclass
    from rochull.multiclass.averaging import multiclass_average as multiclass_average
    from rochull.multiclass.calibration import MulticlassCalibrator as MulticlassCalibrator
    from rochull.multiclass.classifier import MulticlassThresholdClassifier as MulticlassThresholdClassifier
    from rochull.multiclass.measures import Cell as Cell
    from rochull.multiclass.measures import CostMatrix as CostMatrix
    from rochull.multiclass.measures import Error as Error
    from rochull.multiclass.measures import ErrorRate as ErrorRate
    from rochull.multiclass.measures import Limit as Limit
    from rochull.multiclass.measures import MaxError as MaxError
    from rochull.multiclass.points import InfeasibleLimitsError as InfeasibleLimitsError
    from rochull.multiclass.points import MulticlassPoint as MulticlassPoint
    from rochull.multiclass.points import MulticlassPoints as MulticlassPoints
    from rochull.multiclass.policy import MulticlassPolicy as MulticlassPolicy
    from rochull.multiclass.ranking import hand_till as hand_till
    from rochull.multiclass.ranking import hand_till_interval as hand_till_interval
    from rochull.multiclass.ranking import pairwise_auc as pairwise_auc
    from rochull.multiclass.roc import MulticlassRoc as MulticlassRoc
    from rochull.multiclass.scorer import MulticlassScorer as MulticlassScorer
    from rochull.multiclass.scorer import multiclass_scorer as multiclass_scorer
    from rochull.multiclass.scoring import multiclass_cllr as multiclass_cllr
    from rochull.parametric import BetaCalibrator as BetaCalibrator
    from rochull.parametric import LogisticCalibrator as LogisticCalibrator
    from rochull.plotting import ApeDisplay as ApeDisplay
    from rochull.plotting import BayesErrorDisplay as BayesErrorDisplay
    from rochull.plotting import CostCurveDisplay as CostCurveDisplay
    from rochull.plotting import DetDisplay as DetDisplay
    from rochull.plotting import EceDisplay as EceDisplay
    from rochull.plotting import ErrorSurfaceDisplay as ErrorSurfaceDisplay
    from rochull.plotting import MeanRocDisplay as MeanRocDisplay
    from rochull.plotting import MulticlassConfusionDisplay as MulticlassConfusionDisplay
    from rochull.plotting import PairwiseErrorDisplay as PairwiseErrorDisplay
    from rochull.plotting import ReliabilityDisplay as ReliabilityDisplay
    from rochull.plotting import RocBandDisplay as RocBandDisplay
    from rochull.plotting import RocComparisonDisplay as RocComparisonDisplay
    from rochull.plotting import ScoreToLlrDisplay as ScoreToLlrDisplay
    from rochull.plotting import SegmentGainDisplay as SegmentGainDisplay
    from rochull.plotting import SegmentThresholdDisplay as SegmentThresholdDisplay
    from rochull.plotting import SignificanceDisplay as SignificanceDisplay
    from rochull.plotting import ThresholdSpreadDisplay as ThresholdSpreadDisplay
    from rochull.plotting import TippettDisplay as TippettDisplay
    from rochull.policy import Policy as Policy
    from rochull.policy import PolicyError as PolicyError
    from rochull.prevalence import PrevalenceEstimate as PrevalenceEstimate
    from rochull.prevalence import estimate_prevalence as estimate_prevalence
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
    from rochull.redistribution import ErrorRedistributionClassifier as ErrorRedistributionClassifier
    from rochull.report import Report as Report
    from rochull.report import Segmentation as Segmentation
    from rochull.report import Uncertainty as Uncertainty
    from rochull.report.multiclass import MulticlassReport as MulticlassReport
    from rochull.resampling import BootstrapInterval as BootstrapInterval
    from rochull.resampling import bootstrap as bootstrap
    from rochull.rocch import RocchClassifier as RocchClassifier
    from rochull.rocch import RocchCrossValidation as RocchCrossValidation
    from rochull.rocch import RocchEvaluation as RocchEvaluation
    from rochull.rocch import cross_validate_rocch as cross_validate_rocch
    from rochull.rules import OperatingPoint as OperatingPoint
    from rochull.rules import Rule as Rule
    from rochull.rules import SegmentedRule as SegmentedRule
    from rochull.scanning.areas import AreaBound as AreaBound
    from rochull.scanning.scan import Scan as Scan
    from rochull.scanning.scan import scan as scan
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
    from rochull.segment_policy import SegmentPolicy as SegmentPolicy
    from rochull.segment_ranking import AuxiliaryRanking as AuxiliaryRanking
    from rochull.segment_ranking import rank_auxiliary_features as rank_auxiliary_features
    from rochull.segments import ErrorRedistribution as ErrorRedistribution
    from rochull.sources import ChunkSource as ChunkSource
    from rochull.spark import spark_calibrate as spark_calibrate
    from rochull.spark import spark_decide as spark_decide
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
