"""Partial verification: published tables, every case by itself, and what is refused."""

import numpy as np
import pytest

import rochull as rh

LIVER = {True: (231, 32, 166), False: (27, 54, 140)}  # Drum & Christacopoulos 1972, by Begg & Greenes 1983
CAD = {True: (195, 232, 996), False: (5, 39, 1221)}


def _cases(table):
    flagged = np.concatenate([np.full(sum(counts), flag) for flag, counts in table.items()])
    truth = np.concatenate([np.repeat([1.0, 0.0, np.nan], counts) for counts in table.values()])
    return flagged, truth


@pytest.mark.parametrize(
    ("counts", "alone", "corrected"),
    [(LIVER, (0.895, 0.628), (0.836, 0.738)), (CAD, (0.975, 0.144), (0.819, 0.592))],
    ids=["liver", "cad"],
)
def test_published_tables(counts, alone, corrected):
    found = rh.policies.partial_verification(*_cases(counts))
    sensitivity, specificity = found.tpr.estimate, 1 - found.fpr.estimate
    assert (round(sensitivity, 3), round(specificity, 3)) == corrected
    assert (round(found.verified_alone[0], 3), round(1 - found.verified_alone[1], 3)) == alone
    assert found.tpr.low < sensitivity < found.tpr.high
    assert found.n_verified == sum(sum(own[:2]) for own in counts.values())


def test_posteriors_are_averaged_case_by_case():
    rng = np.random.default_rng(0)
    flagged, stratum = rng.random(500) < 0.4, rng.integers(0, 3, 500)
    y = rng.random(500) < 0.2 + 0.4 * flagged + 0.1 * stratum
    known = np.where(rng.random(500) < 0.3 + 0.5 * flagged, y, np.nan)
    found = rh.policies.partial_verification(flagged, known, stratum.astype(str))
    p = np.empty(500)
    for i in range(500):
        like = (flagged == flagged[i]) & (stratum == stratum[i]) & ~np.isnan(known)
        p[i] = known[like].mean()
    assert found.prevalence.estimate == pytest.approx(p.mean())
    assert found.tpr.estimate == pytest.approx(p[flagged].sum() / p.sum())
    assert found.fpr.estimate == pytest.approx((1 - p)[flagged].sum() / (1 - p).sum())
    assert found.precision.estimate == pytest.approx(p[flagged].mean())


def test_intervals_cover_as_a_bootstrap_would_have_it():
    flagged, truth = _cases(LIVER)
    found, rng, ends = rh.policies.partial_verification(flagged, truth), np.random.default_rng(1), []
    for _ in range(200):
        at = rng.integers(0, len(truth), len(truth))
        ends.append(rh.policies.partial_verification(flagged[at], truth[at]).tpr.estimate)
    assert np.std(ends) * 3.92 == pytest.approx(found.tpr.high - found.tpr.low, rel=0.25)


def test_all_verified_is_as_it_was():
    flagged, y = np.array([True, True, False, False, True]), np.array([1, 0, 0, 1, 1])
    found = rh.policies.partial_verification(flagged, y)
    assert (found.tpr.estimate, found.fpr.estimate) == pytest.approx(found.verified_alone)
    assert "precision" in str(found)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (([1, 0], [1, 0]), "truth values"),
        (([True, False], [1, None]), "the rule does not flag"),
        (([True, True], [1, None], ["a", "b"]), "strata is 'b'"),
        (([True], [1, 0]), "rows"),
    ],
)
def test_what_is_refused(given, told):
    with pytest.raises(ValueError, match=told):
        rh.policies.partial_verification(*given)
