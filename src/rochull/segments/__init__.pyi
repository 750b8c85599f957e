from rochull.segments.components import SupervisedComponents as SupervisedComponents
from rochull.segments.models.gaussian import benefit_cost_ratio as benefit_cost_ratio
from rochull.segments.models.gaussian import gradient_thresholds as gradient_thresholds
from rochull.segments.policy import SegmentPolicy as SegmentPolicy
from rochull.segments.ranking import AuxiliaryRanking as AuxiliaryRanking
from rochull.segments.ranking import rank_auxiliary_features as rank_auxiliary_features
from rochull.segments.redistribution import ErrorRedistribution as ErrorRedistribution
