"""The report on a hybrid, under a condition or under none."""

from __future__ import annotations

import html
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rochull._core.cards import Card, Carded
from rochull._core.docstrings import Described, entries
from rochull._core.extras import require
from rochull._core.files import check_writable, replacing
from rochull._core.messages import Parameter, WrongType
from rochull._core.table_errors import a_type
from rochull._core.warned import warn
from rochull.conditions.keywords import takes_condition
from rochull.report.answer import Reader
from rochull.report.card import report_card
from rochull.report.current import count_of_rule, rule_written
from rochull.report.facts import facts_of

if TYPE_CHECKING:
    from rochull.conditions.base import Condition
    from rochull.conditions.costs import ExpectedCost
    from rochull.conditions.rules import Rule
    from rochull.hybrid.held_out import HeldOutRules
    from rochull.hybrid.hybrid import Hybrid
    from rochull.hybrid.need import Need
    from rochull.report.scanned import Scanned
    from rochull.report.segments import Segmentation
    from rochull.report.uncertainty import Uncertainty

SUFFIXES = (".html", ".json", ".txt")


class Report(Described, Carded):
    """Which classifier is optimal where, what a condition chooses, and what that costs.

    Parameters
    ----------
    hybrid : Hybrid
        With at least one classifier.
    condition : Condition, optional
        What to choose a point for; linear costs may be intervals.
    title : str, optional
        A heading for the page.
    uncertainty : Uncertainty, optional
        The examples, for intervals by the bootstrap and for means over folds.
    segment : rochull.report.Segmentation, optional
        The examples with auxiliary features, for thresholds that depend on these.
    scanned : rochull.report.Scanned, optional
        The scan that the hybrid was made of, in place of the examples: it tells how sure the numbers are, and
        has segments and folds if it was made with them.
    command : sequence of str, optional
        The command line that makes this report, as words, without its condition: the page completes it by the
        condition that is looked at.
    asked : sequence of str, optional
        The options of the condition that complete the `command`, as words.
    figures : ExpectedCost, optional
        Costs and prevalence, single numbers, at which expected cost, net benefit, precision and confusion
        matrix are shown under a condition that has no costs of its own. A condition that has a prevalence
        keeps it, so that both must be the same.
    about : mapping of str to str, optional
        What the report says of the data, and the policy that the page hands over of its origin: "table",
        "label", "positive" (what a positive case is called), "date", "about" (a sentence), or anything else.
    need : Need, optional
        What :meth:`Hybrid.need` found under the condition: whether the hybrid is better than its best member
        on other cases.
    deterministic : bool, default=False
        One threshold only: the best single rule instead of a mixture of two.
    positive_name, case_name : str, optional
        What the reader calls positive cases, and cases, both in the plural: "high earners", "calls".
    unit : str, optional
        What costs are in, such as "EUR"; by default a miss costs so many false alarms.
    current : str or Rule, optional
        The rule that is in use, such as "boosted >= 0.5", with which the best one is compared; by default its
        score at 0.5, if its scores are within [0, 1], else the cheaper of flagging nobody and everybody.
    held_out : HeldOutRules, optional
        What :meth:`Hybrid.need` found of rules on cases that did not choose them, under any condition; that
        of `need`, if it is given.

    Attributes
    ----------
    facts : dict
        Every number that the report shows, as plain values (documented in
        :mod:`rochull.report.facts`). They are in-sample, unless they say otherwise.

    Raises
    ------
    ValueError
        If the hybrid is empty, or the condition cannot be met; or if the examples of `uncertainty` or
        `segment` are not those of the hybrid, or `scanned` is given too; or if `figures` have no effect, or
        another prevalence than the condition.

    Examples
    --------
    >>> import rochull as rh
    >>> y = [1, 1, 0, 0]
    >>> hybrid = rh.Hybrid().add("a", y, [4, 1, 3, 2]).add("b", y, [3, 2, 4, 1])
    >>> report = rh.Report(hybrid, rh.ExpectedCost(cost_fn=5))
    >>> report.facts["chosen"]["expected_cost"], report.facts["chosen"]["rules"][0]["rule"]
    (0.25, {'kind': 'threshold', 'classifier': 'b', 'threshold': 2})
    >>> limit = rh.Report(hybrid, rh.NeymanPearson(0.5), figures=rh.ExpectedCost(cost_fn=5))
    >>> limit.facts["chosen"]["expected_cost"]
    0.25
    """

    parameters_told = entries("""
width : int, default=80
    Columns of the page.
-> str
    All of it.
""")

    @takes_condition
    def __init__(
        self,
        hybrid: Hybrid,
        condition: Condition | None = None,
        *,
        title: str | None = None,
        uncertainty: Uncertainty | None = None,
        segment: Segmentation | None = None,
        scanned: Scanned | None = None,
        command: Sequence[str] | None = None,
        asked: Sequence[str] | None = None,
        figures: ExpectedCost | None = None,
        about: Mapping[str, str] | None = None,
        need: Need | None = None,
        deterministic: bool = False,
        positive_name: str | None = None,
        case_name: str | None = None,
        unit: str | None = None,
        current: str | Rule | None = None,
        held_out: HeldOutRules | None = None,
    ):
        require("jinja2", "report")  # before another library of that extra is missed under a name of its own
        if not hasattr(hybrid, "hulls"):
            text = "{} must be a Hybrid, such as {}, but is {}."
            made = "Hybrid.from_table(table, label=..., scores=[...])"
            raise WrongType(text, Parameter("hybrid"), made, a_type(hybrid))
        if scanned is not None and (uncertainty is not None or segment is not None):
            raise ValueError("scanned stands for uncertainty and segment; give it alone.")
        if isinstance(command, str) or (command is not None and not all(isinstance(w, str) for w in command)):
            raise ValueError(f"command must be a list of words, but is {command!r}.")
        held_out = need.held_out if held_out is None and need is not None else held_out
        if isinstance(current, str):
            current = rule_written(current, hybrid)
        used = None if current is None else (current, *count_of_rule(current, hybrid, held_out))
        self.facts: dict[str, Any] = facts_of(
            hybrid,
            condition,
            title=title,
            uncertainty=uncertainty,
            segment=segment,
            scanned=scanned,
            command=None if command is None else list(command),
            asked=None if asked is None else list(asked),
            figures=figures,
            about=about,
            need=need,
            deterministic=deterministic,
            reader=Reader(positive_name, case_name, unit, used, held_out),
        )

    def __repr__(self) -> str:
        condition = self.facts["condition"]
        names = ", ".join(classifier["name"] for classifier in self.facts["classifiers"])
        return f"Report({names}{'' if condition is None else '; ' + condition['text']})"

    def to_html(self) -> str:
        """Draw the page: one HTML document with its scripts and data, which loads nothing from elsewhere."""
        from rochull.report.html import to_html

        return to_html(self.facts)

    def to_json(self) -> str:
        """Write the facts down, as one JSON document."""
        return json.dumps(self.facts, allow_nan=False, ensure_ascii=False, indent=1) + "\n"

    def to_text(self, width: int = 80) -> str:
        """Lay out the tables for a terminal."""
        from rochull.report.text import to_text

        return to_text(self.facts, width)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the report to a file: all of it, or nothing.

        Parameters
        ----------
        path : str or path
            Its suffix says what is written: ``.html``, ``.json`` or ``.txt``.
        """
        target = Path(path)
        check_target(target)
        makers = {".html": self.to_html, ".json": self.to_json, ".txt": self.to_text}
        content = makers[target.suffix.lower()]()
        with replacing(target) as partial:
            Path(partial).write_text(content, encoding="utf-8", newline="\n")

    def open(self, path: str | os.PathLike[str] | None = None) -> Path:
        """Write the page to a file, and open it in the default browser.

        Parameters
        ----------
        path : str or path, optional
            It ends in ``.html``. If none is given, the page is in a directory for temporary files, and stays
            there: the browser reads it when it likes.

        Returns
        -------
        Path
            The file. If no browser can be opened, a warning says so.
        """
        target = temporary_page() if path is None else Path(path)
        check_target(target, (".html",))
        self.save(target)
        if not open_page(target):
            warn(f"no browser could be opened; the page is {target}.")
        return target

    def interactive(self) -> Framed:
        """Give the page in a frame of its own, which a notebook shows when it ends a cell.

        Returns
        -------
        Framed
            It puts the whole page into the notebook; :meth:`open` does not.
        """
        return Framed(self.to_html())

    def _card(self) -> Card:
        return report_card(repr(self), self.facts)


class Framed:
    """A page in a frame of its own, so that a notebook's styles and scripts stay apart from it."""

    def __init__(self, page: str) -> None:
        self._page = page

    def _repr_html_(self) -> str:
        return (
            '<iframe sandbox="allow-scripts allow-downloads" allow="clipboard-write" '
            f'srcdoc="{html.escape(self._page)}" width="100%" height="900"></iframe>'
        )


def temporary_page() -> Path:
    """Name a file in a new directory that only its owner may read, and that nobody removes."""
    import tempfile

    return Path(tempfile.mkdtemp(prefix="rochull-")) / "report.html"


def open_page(path: Path) -> bool:
    """Open a file in the default browser; False if there is none."""
    import webbrowser

    try:
        return webbrowser.open(path.resolve().as_uri())
    except webbrowser.Error:
        return False


def check_target(path: Path, suffixes: tuple[str, ...] = SUFFIXES) -> None:
    """Raise unless a file can be written to `path`."""
    if path.suffix.lower() not in suffixes:
        *others, last = suffixes
        listed = f"{', '.join(others)} or {last}" if others else last
        raise ValueError(f"{os.fspath(path)!r} must end in {listed}.")
    check_writable(path)
