"""Facts as one self-contained HTML page: it loads nothing, and a name in it is only ever text."""

from __future__ import annotations

import base64
import hashlib
import json
from functools import cache
from importlib.resources import files
from typing import Any

from rochull.report import segment_wording, wording

COLOURS = 6  # classes s0, s1, ... of report.css; then the lines' dashes change


def to_html(facts: dict[str, Any]) -> str:
    """Draw the page.

    Parameters
    ----------
    facts : dict
        See :mod:`rochull.report.facts`.

    Returns
    -------
    str
        One HTML document.
    """
    import jinja2
    from markupsafe import Markup

    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters |= {"number": wording.number, "percent": wording.percent, "count": wording.count}
    scripts = [_plotly(), _resource("report.js")]
    colour = {c["name"]: i % COLOURS for i, c in enumerate(facts["classifiers"])}
    return environment.from_string(_resource("report.html")).render(
        facts=facts,
        wording=wording,
        segment_wording=segment_wording,
        colour=colour,
        policy=_policy(scripts),
        style=Markup(_resource("report.css")),
        scripts=[Markup(script) for script in scripts],
        data=Markup(_embedded(facts)),
    )


def _policy(scripts: list[str]) -> str:
    """The content security policy: these scripts, by their hashes, and nothing from anywhere else.

    Plotly makes style elements of its own, so styles are allowed inline; they can load nothing.
    """
    hashes = " ".join(f"'sha256-{_sha256(script)}'" for script in scripts)
    return (
        f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; img-src data: blob:; "
        "base-uri 'none'; form-action 'none'"
    )


def _sha256(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def _embedded(facts: dict[str, Any]) -> str:
    """The facts as JSON that cannot end the script element it stands in."""
    text = json.dumps(facts, allow_nan=False, separators=(",", ":"))  # ASCII only: no U+2028 either
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


@cache
def _resource(name: str) -> str:
    return files("rochull.report").joinpath("templates", name).read_text(encoding="utf-8")


@cache
def _plotly() -> str:
    from plotly.offline import get_plotlyjs

    # The hash is taken of what a browser sees, which turns CR LF into LF.
    return str(get_plotlyjs()).replace("\r\n", "\n").replace("\r", "\n")
