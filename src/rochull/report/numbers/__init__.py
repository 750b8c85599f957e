"""Numbers of an operating point that a report tells: one file for each kind, and one line here for each.

They stand on conditions only. They never compute in a way that the page could not repeat: a number is data.
"""

from rochull.report.numbers.costs import EXPECTED_COST, NET_BENEFIT
from rochull.report.numbers.number import Number
from rochull.report.numbers.shares import ACCURACY, POSITIVE_RATE, PRECISION

NUMBERS: tuple[Number, ...] = (EXPECTED_COST, NET_BENEFIT, POSITIVE_RATE, PRECISION, ACCURACY)
