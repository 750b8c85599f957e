from rochull._core.results import Interval as Interval
from rochull._core.results import TestResult as TestResult
