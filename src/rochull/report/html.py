"""Facts as one self-contained HTML page: it loads nothing, and a name in it is only ever text."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from functools import cache
from importlib.resources import files
from typing import Any

from rochull._core.extras import require
from rochull.report import (
    data_wording,
    dominance_wording,
    glossary,
    need_wording,
    review_wording,
    robust_wording,
    segment_wording,
    uncertainty_wording,
    verdict,
    verdict_notes,
    wording,
)
from rochull.report.packing import packed

COLOURS, DASHES = 6, 4  # classes s0, s1, ... and w0, w1, ... of report.css, as in report_marks.js
STYLES = ("report.css", "report_page.css", "report_charts.css")
VIEWS = (  # in the order of their tabs
    "roc",
    "scores",
    "thresholds",
    "decision",
    "calibration",
    "reviews",
    "pr",
    "gain",
    "lift",
    "det",
    "cost",
    "segments",  # a table: on paper the charts stay together
)
SCRIPTS = (  # each uses those before it only
    "report_facts.js",
    "report_format.js",
    "report_exact.js",
    "report_optimum.js",
    "report_typed.js",
    "report_given.js",
    "report_known.js",
    "report_model.js",
    "report_curves.js",
    "report_rule.js",
    "report_reviewed.js",
    "report_beside.js",
    "report_groups.js",
    "report_elements.js",
    "report_sort.js",
    "report_charts.js",
    "report_save.js",
    "report_take.js",
    "report_hover.js",
    "report_marks.js",
    "report_small.js",
    "report_zoom.js",
    "report_planes.js",
    "report_lines.js",
    "report_pair.js",
    "report_views.js",
    *(f"view_{name}.js" for name in VIEWS),
    "report_theme.js",
    "report_terms.js",
    "report_controls.js",
    "report_compare.js",
    "report_dominance.js",
    "report_losses.js",
    "report_outcomes.js",
    "report_actions.js",
    "report_cells.js",
    "report_batch.js",
    "report_shares.js",
    "report_parts.js",
    "report_tabs.js",
    "report_export.js",
    "report_sections.js",
    "report_page.js",
)
_TEXT = r""""(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`"""
_SPACED = re.compile(rf"({_TEXT})| *([=<>?:&|,;{{}}()[\]]+) *")  # a text stays, as do the spaces of `a - -b`


def to_html(facts: dict[str, Any]) -> str:
    """Draw the page: one HTML document."""
    return page(
        facts,
        "report.html",
        [_d3(), one_script(SCRIPTS)],
        styled(STYLES),
        held=packed(facts),
        wording=wording,
        review_wording=review_wording,
        segment_wording=segment_wording,
        uncertainty_wording=uncertainty_wording,
        need=need_wording,
        dominance=dominance_wording,
        robust=robust_wording,
        verdict=verdict,
        notes=verdict_notes,
        data_wording=data_wording,
        colour={c["name"]: _look(i) for i, c in enumerate(facts["classifiers"])},
    )


def _look(i: int) -> str:
    """The colour and the dash of a classifier: 24 differ."""
    return f"s{i % COLOURS} w{(i % COLOURS + i // COLOURS) % DASHES}"


def page(
    facts: dict[str, Any], template: str, scripts: list[str], style: str, held: Any = None, **more: Any
) -> str:
    """Fill a template with facts, which it holds (or `held`), scripts and style; `more` are names in it."""
    jinja2 = require("jinja2", "report")
    from markupsafe import Markup

    environment = jinja2.Environment(
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        loader=jinja2.FunctionLoader(resource),
    )
    environment.filters |= {
        "glossed": glossary.glossed,
        "isolated": wording.isolated,
        "number": wording.number,
        "percent": wording.percent,
        "count": wording.count,
    }
    text: str = environment.get_template(template).render(
        facts=facts,
        policy=_policy(scripts, style),
        style=Markup(style),
        scripts=[Markup(script) for script in scripts],
        data=Markup(_embedded(held or facts)),
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


def one_script(names: tuple[str, ...]) -> str:
    """Scripts as one: each would need its hash in the policy."""
    strict = '"use strict";\n'
    return strict + "".join(lean(resource(name)).replace(strict, "") for name in names)


def styled(names: tuple[str, ...]) -> str:
    """Style sheets as one, without comments and spaces that mean nothing."""
    text = re.sub(r"/\*.*?\*/", "", "".join(map(resource, names)), flags=re.DOTALL)
    return re.sub(r"\s*([{};,])\s*|(:)\s+", r"\1\2", text).strip()


def lean(script: str) -> str:
    """A script without its comments, its indents and most spaces, which are for whoever reads its file."""
    lines = [re.sub(r"(?<=[;,{})]) +// [^'\"`]*$", "", line.strip()) for line in script.splitlines()]
    kept = (line for line in lines if line and not line.startswith(("//", "/**", "*")))
    return "\n".join(map(_close, kept)) + "\n"


def _close(line: str) -> str:
    """Remove spaces around a line's signs; leave the line alone if it is not plain where its strings end."""
    nested = any(text[0] == "`" and text.count("{") != text.count("}") for text in re.findall(_TEXT, line))
    hard = nested or re.search(r"['`\\\"]|(?<! )/|/(?! )", re.sub(_TEXT, "", line))  # as `/ = /`
    return line if hard else _SPACED.sub(lambda found: found[1] or found[2], line)


@cache
def _d3() -> str:
    """The chart library with its licence, which every copy must hold."""
    return f"/*\n{resource('d3.LICENSE')}*/\n{resource('d3.min.js')}"
