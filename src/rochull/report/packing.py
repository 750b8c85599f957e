"""Facts as a page holds them: the same values in fewer bytes; ``report_unpack.ts`` unpacks them.

A list whose first item is true or false is a packed one:

``[true, first, step, ...]``
    Integers: the first, and by how much each differs from the one before it.
``[false, text]``
    Doubles: their 8 bytes each, little-endian, in base 64; the infinite ones stand for "inf" and "-inf".
``[false, size, value]``
    So many times the same.
``[false, keys, column, ...]``
    Objects with the same keys: for each key the list of its values.
``[false, null, item, ...]``
    A list that itself begins with true or false.
"""

from __future__ import annotations

import base64
import json
import math
from itertools import pairwise
from typing import Any

import numpy as np

_LEAST = 4  # of fewer items nothing is gained
_INFINITE = {"inf": math.inf, "-inf": -math.inf}


def packed(value: Any) -> Any:
    """Give the same facts with lists of numbers and of like objects written shorter."""
    if isinstance(value, dict):
        return {key: packed(item) for key, item in value.items()}
    if not isinstance(value, list):
        return value
    kinds = set(map(type, value))
    plain = [packed(item) for item in value] if kinds & {dict, list} else value
    tries = [[False, None, *plain] if value and isinstance(value[0], bool) else plain]
    if len(value) >= _LEAST:
        if not kinds & {dict, list} and len(set(map(repr, value))) == 1:
            return [False, len(value), value[0]]
        if kinds == {int} and all(map(_is_double, value)):
            tries.append([True, value[0], *(after - before for before, after in pairwise(value))])
        elif kinds == {dict} and value[0] and all(item.keys() == value[0].keys() for item in value):
            keys = list(value[0])
            tries.append([False, keys, *(packed([item[key] for item in value]) for key in keys)])
        elif float in kinds and all(map(_is_double, value)):
            doubles = np.array([_INFINITE.get(item, item) for item in value], "<f8")
            tries.append([False, base64.b64encode(doubles.tobytes()).decode()])
    if len(tries) == 1:
        return tries[0]
    return min(tries, key=lambda each: len(json.dumps(each, separators=(",", ":"))))


def _is_double(item: Any) -> bool:
    """Whether an item is a number that a double holds exactly, or stands for an infinite one."""
    if isinstance(item, str):
        return item in _INFINITE
    return type(item) is float or (type(item) is int and abs(item) <= 2**53)
