"""Looks at scores that are to be calibrated, whether they are of the known kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rochull.cli.options import say, say_wrapped, warnings_as_lines

if TYPE_CHECKING:
    from rochull.cli.summary import Summary

_ENOUGH = 100_000  # scores that are kept, to see what they look like


class Look:
    """A look at scores, part by part: whether they are of the kind that a model was fitted to.

    Nothing is tested where the model does not know its examples, or reads several columns.
    """

    def __init__(self, calibrator: Any, record: Summary) -> None:
        from rochull.policies.learnt import kinds_of

        hull = getattr(calibrator, "hull_", None)
        self._kinds = None if hull is None or calibrator.n_columns != 1 else kinds_of(hull)
        self._record = record
        self.begin(0)

    def begin(self, rows: int) -> None:
        """Look at so many rows, of which some are kept; what was seen before is forgotten."""
        self._step = max(-(-rows // _ENOUGH), 1)
        self._counts: list[Any] = [0 for _ in self._kinds or ()]
        self._some: list[Any] = []
        self._size = 0

    def at(self, scores: Any) -> None:
        """Count scores (n,), or rows (n, k)."""
        import numpy as np

        from rochull.conditions.rules import Scores

        self._size += len(scores)
        for k, kind in enumerate(self._kinds or ()):
            self._counts[k] += np.array(kind.counts_of(Scores(scores)))
        if self._kinds:
            self._some.append(scores[:: self._step].copy() if self._step > 1 else scores)

    def tell(self) -> None:
        """Say what was seen, if anything was."""
        from rochull.decisions.guard import Counted, Watch

        if not self._size:
            return
        if self._kinds is None:
            say(f"Batch: {self._size:,} cases: scores not tested.")
            return
        counted = Counted(self._size, [each.tolist() for each in self._counts], {}, self._scores)
        with warnings_as_lines():
            check = Watch(self._kinds).judged(counted).heeded()
            say_wrapped(f"Batch: {check.told('calibrator')}.")
        self._record.facts["tests"] |= {"kind": check.facts()["kind"]}

    def _scores(self, kind: Any) -> Any:
        import numpy as np

        from rochull.conditions.rules import Scores

        return Scores(np.concatenate(self._some))
