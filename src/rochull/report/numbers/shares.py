"""Shares of the cases, or of those that are flagged."""

from rochull.report.numbers.number import Number

PRECISION = Number(
    key="precision",
    label="flagged cases that are positive (precision)",
    over={"tp": 1},
    under={"tp": 1, "fp": 1},
    share=True,
    text="precision {}",
)
POSITIVE_RATE = Number(key="positive_rate", label="cases flagged", over={"tp": 1, "fp": 1}, share=True)
