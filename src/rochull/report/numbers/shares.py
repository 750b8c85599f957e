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
ACCURACY = Number(
    key="accuracy",
    label="cases decided correctly (accuracy)",
    over={"tp": 1, "tn": 1},
    share=True,
    hint="a miss counts as much as a false alarm; if positives are rare, flagging nobody has a high one too",
    text="accuracy {}",
)
