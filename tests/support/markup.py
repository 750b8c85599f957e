"""What is in a page, without a browser."""

from html.parser import HTMLParser


class Page(HTMLParser):
    """What a browser would find in the page: elements, attributes, text, scripts."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.raw: list[tuple[dict[str, str | None], str]] = []
        self._open: list[str] = []
        self.feed(source)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._open.append(tag)
        if tag == "script":
            self.raw.append((dict(attrs), ""))

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1] == "script":
            attributes, before = self.raw[-1]
            self.raw[-1] = (attributes, before + data)
        else:
            self.text.append(data)

    def named(self, tag: str) -> list[dict[str, str | None]]:
        """Attributes of all elements of one kind."""
        return [attributes for name, attributes in self.tags if name == tag]
