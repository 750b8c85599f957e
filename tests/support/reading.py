"""How hard a text is to read: words, sentences, and the grade of Flesch and Kincaid."""

import re

# The text of a page that is in view.
SEEN = """() => {
    const found = [], walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walk.nextNode(); node; node = walk.nextNode()) {
        const parent = node.parentElement, range = document.createRange();
        if (parent.closest("option, script, style, noscript, title") || !parent.checkVisibility()) continue;
        range.selectNodeContents(node);
        const box = range.getBoundingClientRect();
        if (box.width > 1 && box.bottom > 0 && box.top < innerHeight) found.push(node.textContent);
    }
    return found.join(" ");
}"""


def plain(text: str) -> str:
    """Take out what isolates names, and make all spaces ordinary."""
    return re.sub("[\u2066-\u2069]", "", text).replace("\u00a0", " ").replace("\u202f", " ")


def words(text: str) -> list[str]:
    """Tokens with a letter."""
    return [token for token in text.split() if re.search("[A-Za-z]", token)]


def sentences(text: str) -> list[str]:
    """Cut at full stops, colons and semicolons that end a clause of their own."""
    return [part for part in re.split(r"(?<=[.:;!?])\s+", text) if words(part)]


def syllables(word: str) -> int:
    """Groups of vowels, less a silent e."""
    letters = re.sub("[^a-z]", "", word.lower())
    groups = len(re.findall("[aeiouy]+", letters))
    silent = letters.endswith("e") and not letters.endswith(("le", "ee")) and groups > 1
    return max(1, groups - silent)


def grade(text: str) -> float:
    """Give the school grade of a text, by Flesch and Kincaid."""
    told = words(text)
    return 0.39 * len(told) / len(sentences(text)) + 11.8 * sum(map(syllables, told)) / len(told) - 15.59
