"""Plain English: patterns that make a native reader stumble, in docstrings, comments and texts of the package.

docs/style.md says what to write instead. A name in code may be what it is; what people read may not.
"""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from syntax import nodes, sources

ROOT = Path(__file__).resolve().parent.parent
# Pattern -> what to write.
PATTERNS = {
    r"(?<!here )\b(?:is|are|be) no(?:ne of)?\b(?! (?:longer|more|less|different|better|worse|other))": "is not",
    r"(?<![`-])\btold\b(?!`| (?:apart|to)\b)": "known, shown, stated",  # an attribute is data-told
    r"\bparted\b": "split, divided",
    r"\bdearer\b": "more expensive",
    r"\bas (?:it is|they are)(?=[.,;:)]|$)": "unchanged",
    r"\bwhat is none\b|\bthat is none\b": "anything else",
}
OPENINGS = re.compile(
    r"(?:Of|That|What|Those|Itself)\b(?!.*\?)"
)  # of a docstring: it opens with a noun or a verb


@cache
def prose(source: str) -> tuple[tuple[int, str], ...]:
    """Return (line, text) of every line that people read: docstrings, other texts, and comments."""
    found: list[tuple[int, str]] = []
    for node in nodes(source):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            found += enumerate(node.value.splitlines(), node.lineno)
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            found.append((token.start[0], token.string))
    return tuple(found)


def stumbles(source: str) -> Iterator[tuple[int, str]]:
    """Yield (line, text) of what breaks a rule."""
    for i, text in prose(source):
        if any(re.search(pattern, text) for pattern in PATTERNS):
            yield i, text.strip()
    for node in nodes(source):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = (ast.get_docstring(node) or "").partition("\n")[0]
            if OPENINGS.match(first):
                yield node.body[0].lineno, first


@pytest.mark.parametrize("module", [pytest.param(name, id=name) for name in sources()])
def test_nobody_stumbles(module: str) -> None:
    found = sorted(set(stumbles(sources()[module])))
    assert not found, "\n".join(f"{module}:{i}: {text}" for i, text in found)


def stumbling_lines(page: str) -> Iterator[tuple[int, str]]:
    """Yield (line, text) of what breaks a rule in a page of the documentation, outside of its code."""
    is_code = False
    for i, text in enumerate(page.splitlines(), 1):
        is_code ^= text.startswith("```")
        if not is_code and any(re.search(pattern, text) for pattern in PATTERNS):
            yield i, text.strip()


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", "docs"])
def test_nobody_stumbles_over_a_page(page: str) -> None:
    place = ROOT / page
    pages = place.rglob("*.md") if place.is_dir() else [place]
    found = [
        (path, *line)
        for path in pages
        if path.name != "style.md"
        for line in stumbling_lines(path.read_text())
    ]
    assert not found, "\n".join(map(str, found))


def test_these_rules_can_fail() -> None:
    wrong = '"""That of the data."""\n# it is no share\nx = "a dearer one"\n# there is no share'
    assert len([*stumbles(wrong)]) == 3
    assert [*stumbling_lines("```\nx is no y\n```\na dearer one")] == [(4, "a dearer one")]
