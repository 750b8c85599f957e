"""Sources of chance: hashes of keys, the same on every platform, or a random state.

The hash is the first 32 bits of the MD5 of ``salt:key`` in UTF-8, an integer. It is compared with an
integer limit, so that SQL, which has the same MD5, decides alike.
"""

from __future__ import annotations

import hashlib
import itertools
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rochull._core import validation
from rochull._core.cached import cached_property
from rochull._core.messages import refused
from rochull._core.validation import Array
from rochull._core.warned import warn

BITS = 32


def keys_1d(key: ArrayLike, size: int) -> Array:
    """Keys (n,), which are integers or strings."""
    if str(getattr(key, "dtype", "")) in {"Int128", "UInt128"}:  # of polars, which NumPy has not
        key = validation.objects(getattr(key, "to_list")())  # noqa: B009
    keys = np.asarray(key)
    missing = _missing(key, keys)
    if missing:
        raise refused(
            "key", "has {} missing value{}: every case needs its own.", missing, "s" * (missing > 1)
        )
    if keys.ndim != 1 or keys.size != size:
        raise validation.wrong_shape("key", f"({size},) like the scores", key)
    if keys.size and keys.dtype.kind not in "iuUOT":
        raise refused("key", "must hold integers or strings, but has type {}.", keys.dtype)
    if keys.dtype == object:
        wrong = {t for t in set(map(type, keys)) if not issubclass(t, (str, int, np.integer)) or t is bool}
        for index, value in enumerate(keys if wrong else ()):
            if type(value) in wrong:
                raise refused(
                    "key",
                    "must hold integers or strings, but index {} holds {} ({}); str() makes a string of it.",
                    index,
                    repr(value),
                    type(value).__name__,
                )
    return keys


def _missing(key: Any, keys: Array) -> int:
    """How many keys are missing: nulls, of whatever kind, and NaN."""
    if keys.dtype == object:
        return sum(map(validation.is_missing, keys.ravel()))
    if keys.dtype.kind == "f":  # what NumPy makes of integers with nulls
        return int(np.count_nonzero(np.isnan(keys)))
    return 0


def limit(share: float | Fraction) -> int:
    """How many of the 2**32 hashes belong to a share: hash < limit iff hash / 2**32 < share, exactly."""
    hashes: int = 2**BITS
    return math.ceil(Fraction(share) * hashes)


def tails(shares: Sequence[float]) -> list[Fraction]:
    """Cumulate the shares (k,) of rules from the end: each but the first with all after it, exactly."""
    return list(itertools.accumulate(map(Fraction, reversed(shares[1:]))))[::-1]


def cuts(shares: Sequence[float]) -> tuple[int, list[tuple[int, int]]]:
    """Which of the rules with these shares decides a case by its hash.

    The first one; but that of the last (rule, limit) in the list whose limit is above the hash. Rules
    that no hash belongs to are left out.
    """
    limits = [limit(tail) for tail in tails(shares)]
    first = sum(count >= 2**BITS for count in limits)
    ends = [*limits[1:], 0]
    return first, [(i + 1, limits[i]) for i in range(first, len(limits)) if limits[i] > ends[i]]


class Lots:
    """One number a case, drawn by its key or, where there is no key, at random.

    Attributes
    ----------
    keys : (n,) integers or strings, or None
    salt : goes before the key.
    random_state : used if there is no key.
    size : n
    """

    def __init__(self, key: ArrayLike | None, salt: str, random_state: Any, size: int) -> None:
        self.keys = None if key is None else keys_1d(key, size)
        self.salt, self.random_state, self.size = salt, random_state, size

    @cached_property
    def drawn(self) -> Array:
        """Numbers in [0, 1) drawn at random (n,), once: a generator moves on with every call."""
        if isinstance(self.random_state, np.random.RandomState):
            return self.random_state.random_sample(self.size)
        return validation.generator(self.random_state).random(self.size)

    @property
    def _begins_anew(self) -> bool:
        """Whether nobody notices lots that are not drawn: there is no generator that would move on."""
        seed = self.random_state
        return self.keys is not None or seed is None or (type(seed) is int and seed >= 0)

    def chosen(self, shares: Sequence[float], rows: Array) -> Array:
        """Which of the rules with these shares decides each row (m,): the last has the lowest lots."""
        found = np.zeros(rows.size, np.intp)
        if self.keys is None:
            drawn = self.drawn[rows]
            for tail in tails(shares):
                found += drawn < float(tail)
        else:
            texts = _texts(self.keys[rows])
            _say_repeats(texts)
            hashes = _hashes(texts, self.salt)
            for tail in tails(shares):
                found += hashes < limit(tail)
        return found

    def mixed(self, outcomes: Sequence[Array], shares: Sequence[float], rows: Array | None = None) -> Array:
        """Outcomes (m,) of rules that are mixed in these shares; of all rows, or of some (m,)."""
        first, *others = outcomes
        if not others:
            return first
        disputed = np.flatnonzero(np.logical_or.reduce([other != first for other in others]))
        if not disputed.size and self._begins_anew:
            return first
        which = self.chosen(shares, disputed if rows is None else rows[disputed])
        decided = first.copy()
        for k, other in enumerate(others, start=1):
            own = disputed[which == k]
            decided[own] = other[own]
        return decided

    def ranked(self, rows: Array) -> Array:
        """The rows (m,) in ascending order of their lots; equal hashes in the order of the keys' texts.

        Where keys are all different, the order is one of the keys alone. Rows of the same key stay in
        the order in which they are given.
        """
        if self.keys is None:
            return rows[np.argsort(self.drawn[rows], kind="stable")]
        texts = _texts(self.keys[rows])
        _say_repeats(texts)
        lots = _hashes(texts, self.salt)
        order = np.argsort(lots, kind="stable")
        # Equal hashes stand together, so sorting them among themselves leaves every group in its place.
        tied = np.flatnonzero(_beside_equal(lots[order]))
        order[tied] = sorted(order[tied].tolist(), key=lambda i: (lots[i], texts[i]))
        return rows[order]

    def ordered(self, level: Array) -> Array:
        """All rows in ascending order of integers (n,), equal ones in ascending order of their lots.

        Lots are drawn of those alone: a hash of each key takes longer than all else.
        """
        order = np.argsort(level, kind="stable")
        tied = np.flatnonzero(_beside_equal(level[order]))
        if tied.size:
            rows = order[tied]
            drawn = self.ranked(np.sort(rows))
            place = np.empty(self.size, np.int64)
            place[drawn] = np.arange(drawn.size)
            order[tied] = rows[np.lexsort((place[rows], level[rows]))]
        return np.asarray(order)


def _beside_equal(ascending: Array) -> Array:
    """Which of ascending numbers (n,) occur more than once."""
    same = ascending[1:] == ascending[:-1]
    return np.asarray(np.append(same, False) | np.append(False, same))


def _texts(keys: Array) -> list[str]:
    """An integer, of whatever type, and its text are one key."""
    return [str(key) for key in keys.tolist()]


def _say_repeats(texts: list[str]) -> None:
    """Warn of keys that occur again: one lot is drawn for all cases of a key."""
    seen: set[str] = set()
    again = [text for text in texts if text in seen or seen.add(text)]  # type: ignore[func-returns-value]
    if again:
        warn(repeats_told(len(again), len(texts), f"the first {again[0]!r}"))


def repeats_told(again: int, cases: int, example: str) -> str:
    """Word the warning about keys that occur again."""
    return (
        f"key: {again:,} of {cases:,} cases that are decided by lot repeat the key of another "
        f"one, {example}. Cases of one key have one lot; a key must tell all cases apart."
    )


def _hashes(texts: list[str], salt: str) -> Array:
    """The first 32 bits of the MD5 of each ``salt:key`` (m,), as int64."""
    md5 = hashlib.md5
    digests = b"".join([md5(f"{salt}:{text}".encode(), usedforsecurity=False).digest() for text in texts])
    return np.frombuffer(digests, ">u4")[::4].astype(np.int64)
