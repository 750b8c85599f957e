"""Facts of a multi-class report as one self-contained page that loads nothing; a label is only ever text."""

from __future__ import annotations

from typing import Any

from rochull.report.html import _embedded, _resource, _sha256

START = (
    'const multiclassView = rochullMulticlass.mount(document.getElementById("multiclass"), '
    'JSON.parse(document.getElementById("facts").textContent));'
)


def to_html(facts: dict[str, Any]) -> str:
    """Draw the page.

    Parameters
    ----------
    facts : dict
        See :mod:`rochull.report.multiclass_facts`.

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
    scripts = [_resource("multiclass.js"), START]
    style = _resource("report.css") + _resource("multiclass.css")
    return environment.from_string(_resource("multiclass.html")).render(
        facts=facts,
        chosen=chosen_table(facts),
        policy=_policy(scripts, style),
        style=Markup(style),
        scripts=[Markup(script) for script in scripts],
        data=Markup(_embedded(facts)),
    )


def chosen_table(facts: dict[str, Any]) -> list[list[str]]:
    """The confusion matrix at the chosen point as cells of text: rate and count."""
    matrix = facts["points"]["confusion"][facts["chosen"]["index"]]
    return [[f"{100 * cell / sum(row):.1f} % ({cell:.7g})" for cell in row] for row in matrix]


def _policy(scripts: list[str], style: str) -> str:
    """The content security policy: these scripts and this style, by their hashes, and nothing else."""
    hashes = " ".join(f"'sha256-{_sha256(script)}'" for script in scripts)
    return (
        f"default-src 'none'; script-src {hashes}; style-src 'sha256-{_sha256(style)}'; base-uri 'none'; "
        "form-action 'none'"
    )
