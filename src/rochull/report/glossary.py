"""Words that a page explains where they stand; `docs/glossary.md` says the same of them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markupsafe import Markup

TERMS = {
    "true positive rate": "share of positives that are flagged",
    "false positive rate": "share of negatives that are flagged",
    "TPR": "true positive rate, the share of positives that are flagged",
    "FPR": "false positive rate, the share of negatives that are flagged",
    "false alarm": "a negative that is flagged",
    "precision": "share of positives among the flagged",
    "prevalence": "share of positives among the cases one decides about",
    "operating points": "a pair of rates (FPR, TPR) that a rule achieves",
    "hull": "the points that are best under some costs and prevalence",
    "PAV": "isotonic calibration (pool adjacent violators); its blocks are the edges of the ROC convex hull",
    "expected cost": "mean cost of a decision per case",
    "net benefit": "true positives minus weighted false positives, per case",
    "probability-cost": "weight of misses: their share of the cost if every case were decided wrongly",
    "AUC": "chance that a random positive scores higher than a random negative; ties count one half",
    "regret": "what a rule loses against the best rule under the same condition, such as extra cost per case",
    "mixtures": "two rules, one of them drawn at random for each case",
    "segment": "part of the population with a threshold of its own",
    "confusion matrix": "how many cases of each class are called which class",
    "class weights": "what the output of each class is multiplied by before the largest is taken",
    "Pareto front": "the points of which none is better in one error and no worse in the others",
    "in-sample": "measured on the data that chose the rule",
}
_WORDS = re.compile(
    rf"(?<![\w-])(?:{'|'.join(sorted(TERMS, key=len, reverse=True))})(?![\w-])", re.IGNORECASE
)
_KEYS = {term.lower(): term for term in TERMS}


def glossed(text: object) -> Markup:
    """Mark the first occurrence of each term, for the page to explain; all other text is escaped."""
    from markupsafe import Markup, escape

    met: set[str] = set()

    def marked(found: re.Match[str]) -> str:
        term = _KEYS[found[0].lower()]
        if term in met:
            return found[0]
        met.add(term)
        return f'<span class="term" data-told="{escape(TERMS[term])}">{found[0]}</span>'

    return Markup(_WORDS.sub(marked, str(escape(text))))
