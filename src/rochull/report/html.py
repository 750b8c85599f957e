"""Facts as one self-contained HTML page: it loads nothing, and a name in it is only ever text."""

from __future__ import annotations

import base64
import hashlib
import json
from functools import cache
from importlib.resources import files
from typing import Any

from rochull._core.extras import require
from rochull.report import segment_wording, wording

COLOURS = 6  # classes s0, s1, ... of report.css; then the lines' dashes change
STYLES = ("report.css", "report_page.css", "report_charts.css")
SCRIPTS = (  # each uses those before it only
    "report_format.js",
    "report_exact.js",
    "report_optimum.js",
    "report_typed.js",
    "report_model.js",
    "report_charts.js",
    "report_hover.js",
    "report_marks.js",
    "report_cost.js",
    "report_small.js",
    "report_views.js",
    "report_theme.js",
    "report_controls.js",
    "report_export.js",
    "report_sections.js",
    "report_page.js",
)


def to_html(facts: dict[str, Any]) -> str:
    """Draw the page: one HTML document."""
    return page(
        facts,
        "report.html",
        [_d3(), *map(resource, SCRIPTS)],
        "".join(map(resource, STYLES)),
        wording=wording,
        segment_wording=segment_wording,
        colour={c["name"]: i % COLOURS for i, c in enumerate(facts["classifiers"])},
    )


def page(facts: dict[str, Any], template: str, scripts: list[str], style: str, **more: Any) -> str:
    """Fill a template with facts, scripts and style; `more` are names that it uses."""
    jinja2 = require("jinja2", "report")
    from markupsafe import Markup

    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters |= {"number": wording.number, "percent": wording.percent, "count": wording.count}
    text: str = environment.from_string(resource(template)).render(
        facts=facts,
        policy=_policy(scripts, style),
        style=Markup(style),
        scripts=[Markup(script) for script in scripts],
        data=Markup(_embedded(facts)),
        **more,
    )
    return text


def _policy(scripts: list[str], style: str) -> str:
    """The content security policy: these scripts and this style, by their hashes, and nothing else."""
    hashes = " ".join(f"'sha256-{_sha256(script)}'" for script in scripts)
    return (
        f"default-src 'none'; script-src {hashes}; style-src 'sha256-{_sha256(style)}'; img-src data: blob:; "
        "base-uri 'none'; form-action 'none'"
    )


def _sha256(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def _embedded(facts: dict[str, Any]) -> str:
    """The facts as JSON that cannot end the script element it stands in."""
    text = json.dumps(facts, allow_nan=False, separators=(",", ":"))  # ASCII only: no U+2028 either
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


@cache
def resource(name: str) -> str:
    text = files("rochull.report").joinpath("templates", name).read_text(encoding="utf-8")
    return text.replace("\r\n", "\n")  # a browser does so before it takes the hash


@cache
def _d3() -> str:
    """The chart library with its licence, which every copy must hold."""
    return f"/*\n{resource('d3.LICENSE')}*/\n{resource('d3.min.js')}"
