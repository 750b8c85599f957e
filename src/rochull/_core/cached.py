"""Properties that are computed once, without a lock.

That of functools holds one lock for all instances in Python 3.11. A process that is forked while another
thread computes inherits it locked, and waits for ever.
"""

from __future__ import annotations

import functools
from typing import Any, Self, TypeVar, overload

T = TypeVar("T")


class CachedProperty(functools.cached_property[T]):
    """Two threads that compute it at once get the same value, and the first is kept."""

    @overload
    def __get__(self, instance: None, owner: type[Any] | None = None) -> Self: ...
    @overload
    def __get__(self, instance: object, owner: type[Any] | None = None) -> T: ...
    def __get__(self, instance: Any, owner: type[Any] | None = None) -> Any:
        """Give what was computed, or compute it."""
        if instance is None:
            return self
        name = self.attrname
        if name not in instance.__dict__:
            instance.__dict__.setdefault(name, self.func(instance))
        return instance.__dict__[name]


cached_property = CachedProperty
