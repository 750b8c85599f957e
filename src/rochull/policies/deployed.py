"""What every policy is: a document whose hull answers conditions, and words for what its methods take."""

from __future__ import annotations

from typing import ClassVar

from rochull._core.docstrings import EXAMPLES, entries
from rochull._core.documents import Document
from rochull.conditions.base import Condition
from rochull.conditions.rules import OperatingPoint
from rochull.hull.hull import RocHull

DEPLOYED = EXAMPLES | entries("""
aux : data frame, mapping of columns, or array-like of shape (n,) or (n, k)
    The auxiliary features, under the names that they had in training; other columns are not read.
condition : Condition
    With a single number for every parameter.
deterministic : bool, default=False
    Take the best single rule instead of a mixture.
dialect : {"duckdb", "spark", "postgres", "bigquery", "snowflake"}
    Whose SQL; "postgresql" is accepted too.
key : array-like of shape (n,), optional
    Integers or strings that identify the cases. Where the point is a mixture, a case's decision depends on
    its key (and its scores, segment or group) alone: the same on every platform and in every batch.
level : float, default=0.95
    Nominal coverage of the interval, strictly between 0 and 1.
random_state : int, Generator or RandomState, optional
    Used for a mixture where no `key` is given. Without either, the decisions of a mixture differ from call
    to call.
salt : str, default=""
    Mixed into the hash of keys, so that two policies do not randomise alike.
about : mapping of str to str, optional
    Free text to keep in the document.
""")


class Deployed(Document):
    """Base of the policies: operating points and rules that decide under conditions given at run time."""

    parameters_told = DEPLOYED
    hull: RocHull
    batch_alone: ClassVar[str] = (
        "condition: a capacity of so many cases is kept by a batch as a whole, which no expression "
        "of one row can; give Capacity(fraction=...), or the point policy.at(condition)."
    )

    def at(self, condition: Condition, deterministic: bool = False) -> OperatingPoint:
        """Find the operating point that decides under a condition; see :meth:`RocHull.at`.

        Returns
        -------
        OperatingPoint
            The same as of the hull that the policy was made from, with two limits: a policy holds
            the vertices only, so a single rule is the best of them, and a limit with a stated
            confidence needs the examples. Give :meth:`decide` the point ``hull.at(condition)`` then.
        """
        return self.hull.at(condition, deterministic)
