from rochull.report.multiclass import MulticlassReport as MulticlassReport
from rochull.report.report import Report as Report
from rochull.report.scanned import Scanned as Scanned
from rochull.report.segments import Segmentation as Segmentation
from rochull.report.uncertainty import Uncertainty as Uncertainty
