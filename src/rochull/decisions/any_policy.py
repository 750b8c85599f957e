"""The base of every policy: a document that finds a plan for a condition, and decides and writes it.

A kind of policy says what its document holds (`schema`, `_contents`, `_of_contents`), which columns it knows
(`classifiers`), and how it finds what is best (`at`); the rest follows.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from textwrap import wrap
from typing import Any

from rochull._core.cached import cached_property
from rochull._core.cards import Carded
from rochull._core.docstrings import EXAMPLES, entries
from rochull._core.documents import Document
from rochull._core.messages import Refusal
from rochull._core.validation import Array
from rochull.decisions.decider import PlanDecider
from rochull.decisions.guard import Watch
from rochull.decisions.plans import Plan, plan_of
from rochull.dialects.registry import names

DEPLOYED = EXAMPLES | entries("""
aux : data frame, mapping of columns, or array-like of shape (n,) or (n, k)
    The auxiliary features, under the names that they had in training; other columns are not read.
condition : Condition
    With a single number for every parameter, unless `minimax`. A prevalence that it does not state is that
    of the data which the policy was made from; decisions come with a warning then, as other cases may have
    another.
deterministic : bool, default=False
    Take the best single rule instead of a mixture.
key : str or array-like of shape (n,), optional
    Integers or strings that identify the cases, or the name of their column in the table of the scores. Where
    the point is a mixture, a case's decision depends on its key (and its scores, segment or group) alone: the
    same on every platform and in every batch.
minimax : bool, default=False
    Decide by the rule that risks least over the range of a condition whose parameters may be intervals: the
    one whose largest regret against the policy's hull is the least, as in :meth:`Hybrid.regret`.
subject_to : RateLimit, Condition, or sequence of these, default=()
    More limits, all of which are kept; see :class:`rochull.Within`.
level : float, default=0.95
    Nominal coverage of the interval, strictly between 0 and 1.
on_misfit : {"keep", "warn", "refuse", "ignore"}, default="keep"
    Where a batch is not what the policy was made from, as :meth:`Policy.check` tests it: warn, refuse, or do
    not look.
random_state : int, Generator or RandomState, optional
    Used for a mixture where no `key` is given. Without either, the decisions of a mixture differ from call
    to call.
salt : str, default=""
    Mixed into the hash of keys, so that two policies do not randomise alike.
about : mapping of str to str, optional
    Free text to keep in the document.
""")
_QUOTED = ", ".join(f'"{name}"' for name in names())
_DIALECTS = wrap(f"Whose SQL: {_QUOTED}, or one that was registered.", 100)
DEPLOYED |= {"dialect": "\n    ".join(["dialect : str", *_DIALECTS])}


_SAID = ("at", "schema", "classifiers", "_contents", "_of_contents")  # what a kind of policy has to say


class PolicyError(Refusal):
    """A policy document is not usable; the message says what is wrong with it.

    Parameters
    ----------
    template : str or Message
        The sentence, with ``{}`` for each part.
    *parts : object
        What is put in, worded where the message is shown.
    """


class AnyPolicy(Document, Carded):
    """Base of the policies: a document that decides."""

    parameters_told = DEPLOYED
    refusal = PolicyError
    salt: str
    about: Mapping[str, str]
    # All classifiers, or classes, of which some condition may need scores; it may be a property.
    classifiers: Any

    def __init_subclass__(cls, abstract: bool = False) -> None:
        super().__init_subclass__()
        own = cls.__mro__[: cls.__mro__.index(AnyPolicy)]
        said = {name for each in own for name in (*vars(each), *vars(each).get("__annotations__", ()))}
        unsaid = [name for name in _SAID if name not in said]
        if unsaid and not abstract:
            raise TypeError(
                f"the policy {cls.__name__} does not say its {', '.join(unsaid)}; "
                "rochull.decisions.any_policy tells what each means."
            )

    @abstractmethod
    def at(self, *asked: Any, **how: Any) -> Any:
        """Find what decides under a condition: a plan, an operating point, or what holds one as `plan`."""

    @property
    def features(self) -> tuple[Any, ...]:
        """The auxiliary columns that tell segments (tuple)."""
        return ()

    def plan(self, *asked: Any, **how: Any) -> Plan:
        """Find the plan that decides under a condition, as :meth:`at` does.

        Parameters
        ----------
        *asked : Any
            What :meth:`at` takes.
        **how : Any
            More of that.

        Returns
        -------
        Plan
            What is done with a case.
        """
        return plan_of(self.at(*asked, **how))

    # A kind whose methods take more says so, and calls what these call.

    def decide(self, *given: Any, **how: Any) -> Array:
        """Decide every case of a table; see :meth:`Policy.decide`.

        Parameters
        ----------
        *given : Any
            The table of scores, and what :meth:`at` takes.
        **how : Any
            `key`, `random_state`, `columns`, and more that :meth:`at` takes.

        Returns
        -------
        ndarray of shape (n,)
            What is done with each case.
        """
        scores, *asked = given
        table = {name: how.pop(name, None) for name in ("key", "random_state", "columns")}
        return self.decider.decided(self.plan(*asked, **how), scores, **table)

    def to_sql(self, *given: Any, **how: Any) -> str:
        """Write the decision as one SQL expression; see :meth:`Policy.to_sql`.

        Parameters
        ----------
        *given : Any
            What :meth:`at` takes, and then the dialect.
        **how : Any
            `key`, `columns`, and more that :meth:`at` takes.

        Returns
        -------
        str
            Equal to :meth:`decide` row by row.
        """
        *asked, dialect = given
        table = {name: how.pop(name, None) for name in ("key", "columns")}
        return self.decider.expressed(self.plan(*asked, **how), dialect, **table)

    def watch(self, condition: Any = None, point: Any = None, on_misfit: str = "keep") -> Watch:
        """Make what looks at each batch that is decided; by a kind that knows no examples, nothing.

        Parameters
        ----------
        condition : Condition or OperatingPoint, optional
            What is decided under.
        point : OperatingPoint, optional
            What it found; None where a batch as a whole keeps it.
        on_misfit : {"keep", "warn", "refuse"}, default="keep"
            As for :meth:`Policy.decide`.

        Returns
        -------
        Watch
            It knows the scores and, of a point that this policy found, the rates.
        """
        return Watch(on_misfit=on_misfit)

    @cached_property
    def decider(self) -> PlanDecider:
        """The decider of tables by plans, which also writes them (PlanDecider)."""
        return PlanDecider(self.classifiers, self.features, self.salt)
