"""What a hybrid of classifiers can do, as one self-contained page, as JSON, or as text.

Facts first (:mod:`~rochull.report.facts`), then their rendering, which computes nothing.
"""

from rochull.report.report import Report
from rochull.report.scanned import Scanned
from rochull.report.segments import Segmentation
from rochull.report.uncertainty import Uncertainty

__all__ = ["Report", "Scanned", "Segmentation", "Uncertainty"]
