"""64-bit hashes of the keys of rows, and the weights that rows draw from them: alike on every engine.

An integer is hashed by the finalizer of SplitMix64 (Steele, Lea & Flood 2014), a text by the first 64 bits of
the MD5 of its UTF-8 bytes, read from high to low. Both need nothing but the key.
"""

from __future__ import annotations

import hashlib

import numpy as np

from rochull._core import validation
from rochull._core.messages import refused
from rochull._core.validation import Array


def key_hashes(keys: Array, name: str) -> Array:
    """uint64 hashes (n,) of keys that are integers or strings; none may be missing."""
    if keys.dtype.kind in "iu":
        return mixed(keys.astype(np.int64).view(np.uint64) if keys.dtype != np.uint64 else keys)
    if keys.dtype.kind not in "UOT":
        raise refused(name, "must hold integers or strings, but has type {}.", keys.dtype)
    listed = keys.tolist()
    for index, key in enumerate(listed):
        if not isinstance(key, str):
            found = "a missing value" if validation.is_missing(key) else f"{key!r} ({type(key).__name__})"
            raise refused(name, "must hold strings (or integers only), but row {} has {}.", index, found)
    md5 = hashlib.md5
    digests = b"".join([md5(key.encode(), usedforsecurity=False).digest() for key in listed])
    return np.frombuffer(digests, ">u8")[::2].astype(np.uint64)


def mixed(numbers: Array) -> Array:
    """Numbers (n,), uint64, spread over all 64 bits: one step of SplitMix64 from each."""
    from rochull._core.kernels import poisson as poisson_kernels

    return np.asarray(poisson_kernels.mix_all(np.ascontiguousarray(numbers)))


def replicate_seeds(seed: int, numbers: Array) -> Array:
    """uint64 seeds (r,) of the replicates of these numbers."""
    first = mixed(np.array([seed], np.uint64))
    return mixed(first + np.asarray(numbers, np.uint64))
