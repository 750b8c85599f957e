"""Advice is for where one is: the command line names its options, and Python its objects."""

import pytest

import rochull as rh
from command_line import GERMAN, Run

TABLE = rh.datasets.load("german_credit_scores")


def saved() -> rh.Policy:
    """A policy of vertices alone, of which a limit may fall between two."""
    hull = rh.roc_hull(TABLE["class"] == "bad", TABLE["boosted"])
    made = rh.Policy.from_hull(hull.named("boosted"), most=0)
    made.save("p.json")
    return made


def test_unknown_thresholds_are_advised_on_where_one_is(run: Run) -> None:
    policy = saved()
    with pytest.warns(
        UserWarning, match="better than this single rule; make the policy of a hull that holds"
    ):
        policy.decide({"boosted": [0.1]}, rh.NeymanPearson(0.123), deterministic=True)
    done = run("decide", "p.json", GERMAN, "--max-fpr", "0.123", "--deterministic", "-o", "o.csv")
    assert done.status == 0, done.err
    assert "single rule; a policy that rochull report made of a table of scores holds those" in done.err
    assert "Hybrid" not in done.err


def test_a_number_of_cases_has_no_range_on_the_command_line(run: Run) -> None:
    saved()
    done = run(
        "decide", "p.json", GERMAN, "--cases", "30", "--prevalence", "0.1:0.3", "--minimax", "-o", "o.csv"
    )
    assert done.status == 1
    assert "or limit the share, such as by --max-share." in done.err
    assert "Capacity(" not in done.err
