"""Colours by name: a classifier has the same one in every picture of the same classifiers."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterable

# Okabe & Ito's palette: told apart by colour-blind readers. Yellow is left out, it is too light for lines.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")


def slots(names: Iterable[str], size: int = len(COLOURS), taken: Iterable[int] = ()) -> dict[str, int]:
    """The place of each name in a palette of a size: that of its CRC-32, or the next one that is free.

    Names come in the order of the alphabet, so that it does not matter in which order they are given; where
    all places are taken, those that are taken least come first.
    """
    used, found = Counter(taken), {}
    for name in sorted(set(names)):
        start = zlib.crc32(name.encode())
        found[name] = least_taken(used, start, size)
        used[found[name]] += 1
    return found


def least_taken(used: Counter[int], start: int, size: int) -> int:
    """The first of the places that are taken least, from a place on and round."""
    return min(((start + step) % size for step in range(size)), key=used.__getitem__)
