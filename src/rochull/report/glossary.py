"""Words that a page explains where they stand; `docs/glossary.md` says the same of them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rochull.words.clauses import catalogue

if TYPE_CHECKING:
    from markupsafe import Markup

TERMS = {key.removeprefix("term."): told for key, told in catalogue().items() if key.startswith("term.")}
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
