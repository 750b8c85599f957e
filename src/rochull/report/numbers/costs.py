"""Cost and net benefit of a decision."""

from rochull.report.numbers.number import Number

EXPECTED_COST = Number(
    key="expected_cost",
    label="expected cost per case",
    over={"fp": "cost_fp", "fn": "cost_fn"},
    text="expected cost {} per case",
)
NET_BENEFIT = Number(
    key="net_benefit",
    label="net benefit (the more, the better)",
    over={"tp": 1, "fp": "-odds"},
    hint=(
        "gain over flagging nobody; 0.2 is worth as much as 20 positives caught per 100 cases without a "
        "false alarm. Prevalence × TPR − (1 − prevalence) × FPR × cost of a false alarm / cost of a miss"
    ),
    text="net benefit {}",
)
