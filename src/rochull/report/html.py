"""Facts as one self-contained HTML page: it loads nothing, and a name in it is only ever text."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping
from functools import cache, partial
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
    wording,
)
from rochull.report.packing import packed
from rochull.words.clauses import Clause, Vocabulary
from rochull.words.formats import Pieces

COLOURS, DASHES = 6, 4  # classes s0, s1, ... and w0, w1, ... of report.css, as in report_marks.ts
BEGIN = "const rochullReport = rochullPage.begin();"


def to_html(facts: dict[str, Any]) -> str:
    """Draw the page: one HTML document."""
    return page(
        facts,
        "report.html",
        resource("report.bundle.js" if facts["segments"] else "report_plain.bundle.js") + BEGIN,
        resource("report.bundle.css"),
        held=packed(facts),
        wording=wording,
        review_wording=review_wording,
        segment_wording=segment_wording,
        uncertainty_wording=uncertainty_wording,
        need=need_wording,
        dominance=dominance_wording,
        robust=robust_wording,
        verdict=verdict,
        data_wording=data_wording,
        told=wording.said,
        row=partial(_row, facts),
        colour={c["name"]: _look(i) for i, c in enumerate(facts["classifiers"])},
    )


class _Marked(Vocabulary):
    """Words of a page, in which slots may hold markup."""

    def _filled(self, pieces: Pieces, slots: Mapping[str, Any]) -> str:
        from markupsafe import Markup

        return Markup("").join(
            p if isinstance(p, str) else self._slot(p, slots[p.name], slots) for p in pieces
        )


def _text(value: Any) -> str:
    """Text of a slot, its names isolated; markup unchanged."""
    return value if hasattr(value, "__html__") else wording.PAGE.styles["text"](value)


_WORDS = _Marked("page", {**wording.PAGE.styles, "text": _text})


def _say(key: str, **slots: Any) -> str:
    return _WORDS.told(Clause(key, **slots))


def _row(facts: dict[str, Any], key: str) -> str:
    """The sentence of a row while it is closed."""
    rows = facts["answer"]["rows"] if facts["answer"] else []
    return "".join(wording.said(row["message"]) for row in rows if row["key"] == key)


def _look(i: int) -> str:
    """The colour and the dash of a classifier: 24 differ."""
    return f"s{i % COLOURS} w{(i % COLOURS + i // COLOURS) % DASHES}"


def page(facts: dict[str, Any], template: str, script: str, style: str, held: Any = None, **more: Any) -> str:
    """Fill a template with facts, which it holds (or `held`), script and style; `more` are names in it."""
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
        say=_say,
        policy=Markup(_policy(script, style)),
        style=Markup(style),
        script=Markup(script),
        data=Markup(_embedded(held or facts)),
        **more,
    )
    return text


def _policy(script: str, style: str) -> str:
    """The content security policy: this script and this style, by their hashes, and nothing else."""
    return (
        f"default-src 'none'; script-src 'sha256-{_sha256(script)}'; style-src 'sha256-{_sha256(style)}'; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
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
