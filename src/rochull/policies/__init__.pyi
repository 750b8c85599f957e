from rochull.policies.dialects.registry import register_dialect as register_dialect
from rochull.policies.knob import Knob as Knob
from rochull.policies.policy import Policy as Policy
from rochull.policies.policy import PolicyError as PolicyError
from rochull.policies.prevalence import PrevalenceEstimate as PrevalenceEstimate
from rochull.policies.prevalence import estimate_prevalence as estimate_prevalence
from rochull.policies.spark import spark_calibrate as spark_calibrate
from rochull.policies.spark import spark_decide as spark_decide
