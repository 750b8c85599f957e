"""Tables in memory: data frames, Arrow tables, mappings of columns."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from rochull._core import validation
from rochull._core.key_hashes import key_hashes
from rochull._core.rows import same_rows
from rochull._core.tables import columns_of, positive_label
from rochull._core.validation import Array, Labelled
from rochull.hull.refine import exact_area
from rochull.hull.sources import ArraySource
from rochull.hull.tallies import Spread
from rochull.hull.tasks import Chunk, Task, gather
from rochull.scanning.engines.table import ChunkRows, Column, ScanGroup, groups_of, keyed

_CHUNK = 1 << 19


class MemoryTable:
    """Columns as arrays; scans are shared out over threads."""

    limit = 1 << 62
    tells_codes = True

    def __init__(
        self,
        positive: Array,
        scores: Mapping[str, Array],
        weights: Array | None,
        segment: Array | None = None,
        fold: Array | None = None,
        *,
        keys: Array | None = None,
    ) -> None:
        self.scores, self._keys = tuple(scores), keys
        self._positive = np.equal(positive, 1).view(np.uint8)
        self._columns, self._weights = dict(scores), weights
        size = positive.size
        totals: dict[str, Any] = {"all": self._totals(np.zeros(size, np.int64), [None])}
        self._codes: dict[int, Array] = {}
        first = 1
        for kind, values in (("segment", segment), ("fold", fold)):
            if values is None:
                continue
            codes, labels = validation.codes_1d(values, f"{kind} column")
            totals[kind] = self._totals(codes, labels)
            small = np.uint16 if len(labels) < 1 << 16 else np.int64  # which are sorted by their digits
            self._codes[first] = codes.astype(small)
            first += len(labels)
        self.groups: tuple[ScanGroup, ...] = groups_of(totals)

    @property
    def has_keys(self) -> bool:
        """Whether rows have keys."""
        return self._keys is not None

    @classmethod
    def open(
        cls,
        table: Any,
        *,
        label: str,
        scores: Sequence[str],
        weight: str | None,
        segment: str | None,
        fold: str | None,
        pos_label: object,
        where: str | None,
        key: str | None = None,
        lower_is_positive: Collection[str] = (),
    ) -> MemoryTable:
        """Read the columns that a scan needs."""
        extra = [name for name in (weight, segment, fold, key) if name is not None]
        columns = columns_of(table, list(dict.fromkeys([label, *scores, *extra])), where, numbers=scores)
        same_rows(**{f"column {name!r}": column for name, column in columns.items()})
        found = positive_label(pos_label, columns[label])
        positive = validation.binary_labels(columns[label], found, f"label column {label!r}")
        weights = (
            None if weight is None else validation.weights_1d(columns[weight], f"weight column {weight!r}")
        )
        checked = {name: validation.scores_1d(columns[name], f"score column {name!r}") for name in scores}
        for name in lower_is_positive:
            checked[name] = validation.negated(checked[name], f"score column {name!r}")
        parts = [None if name is None else columns[name] for name in (segment, fold)]
        keys = None if key is None else key_hashes(columns[key], f"key column {key!r}")
        return cls(positive, checked, weights, parts[0], parts[1], keys=keys)

    def _totals(self, codes: Array, labels: Sequence[Any]) -> tuple[Sequence[Any], Array, Spread | None]:
        """The labels, rows (v, 2) and spread of the weights (v, 2) of their groups."""
        both = 2 * codes + self._positive
        rows = np.bincount(both, minlength=2 * len(labels)).reshape(-1, 2)
        if self._weights is None:
            return labels, rows, None
        spread = Spread.by_code(both, Spread.of_weights(self._weights), 2 * len(labels))
        return labels, rows, spread.reshape(-1, 2)

    def _chunks(self, names: Sequence[str], asked: Collection[int]) -> Iterator[Chunk]:
        for begin in range(0, self._positive.size, _CHUNK):
            part = slice(begin, begin + _CHUNK)

            def chunk(part: slice = part) -> Any:
                rows = ChunkRows(
                    self._positive[part],
                    {first: codes[part] for first, codes in self._codes.items()},
                    None if self._weights is None else self._weights[part],
                    None if self._keys is None else self._keys[part],
                    asked,
                )
                return keyed(rows, {name: self._columns[name][part] for name in names})

            yield chunk

    def sample(self, size: int) -> dict[Column, Array]:
        rows = np.arange(self._positive.size)
        if rows.size > size:
            jitter = np.random.default_rng(0).random(size)
            rows = ((np.arange(size) + jitter) * (rows.size / size)).astype(np.int64)
        chosen = ChunkRows(self._positive[rows], {first: codes[rows] for first, codes in self._codes.items()})
        found = keyed(chosen, {name: column[rows] for name, column in self._columns.items()})
        return {key: data.scores for key, data in found}

    def answer(self, tasks: Mapping[Column, Sequence[Task]]) -> dict[Column, list[Any]]:
        wanted, asked = {name for name, _ in tasks}, {number for _, number in tasks}
        return gather(self._chunks([name for name in self.scores if name in wanted], asked), tasks)

    def exact_areas(self, columns: Sequence[Column]) -> dict[Column, tuple[int, int, int]]:
        found = {}
        for name, group in columns:
            first = max((f for f in self._codes if f <= group), default=0)
            rows = slice(None) if group == 0 else self._codes[first] == group - first
            weights = None if self._weights is None else self._weights[rows]
            data = Labelled(self._positive[rows], self._columns[name][rows], weights)
            found[name, group] = exact_area(ArraySource(data))
        return found
