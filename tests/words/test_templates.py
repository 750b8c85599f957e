"""No sentence is in a template of a page: what is not markup is in the catalogue."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest

import rochull.report
from rochull.words.clauses import catalogue

TEMPLATES = sorted((Path(rochull.report.__file__).parent / "templates").glob("*.html"))
_TAG = re.compile(r"\{%.*?%\}|\{\{.*?\}\}", re.DOTALL)
_CODE = re.compile(r"""\bcode\((".*?"|'.*?')\)""")
_LITERAL = re.compile(r'"([^"]*)"')
_WORD = re.compile(r"[^\W\d_]{2}")
_TOGETHER = re.compile(r"\w\s+\w|\s\w|\w\s")  # in what the template's language holds: a key may be one word
READ = ("title", "aria-label", "placeholder", "alt")  # attributes


class _Texts(HTMLParser):
    """Texts between marks, and of attributes that are read."""

    def __init__(self, markup: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(markup)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [value or "" for name, value in attrs if name in READ]

    def handle_data(self, data: str) -> None:
        self.found.append(data)


def words_in(template: str) -> Iterator[str]:
    """Yield what a template says in words of its own."""
    for tag in _TAG.findall(template):
        for text in _LITERAL.findall(_CODE.sub("", tag)):
            if _TOGETHER.search(text) and text not in catalogue():
                yield text
    for text in _Texts(_TAG.sub("", template)).found:
        if _WORD.search(text):
            yield text.strip()


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.stem)
def test_no_sentence_is_in_a_template(path: Path) -> None:
    assert [*words_in(path.read_text(encoding="utf-8"))] == []


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("<p>{{ say('page.link') }} more</p>", "more"),
        ('<p title="the rule"></p>', "the rule"),
        ('<p>{{ "the rules" if x else "page.link" }}</p>', "the rules"),
    ],
)
def test_a_sentence_in_a_template_would_be_noticed(template: str, text: str) -> None:
    assert [*words_in(template)] == [text]
