"""Properties that are computed once, by threads and in forked processes too."""

import functools
import threading

from rochull._core.cached import cached_property


class Slow:
    def __init__(self) -> None:
        self.begun, self.go = threading.Event(), threading.Event()
        self.count = 0

    @cached_property
    def waits(self) -> int:
        """Waits."""
        self.begun.set()
        assert self.go.wait(60)
        return 1

    @cached_property
    def quick(self) -> int:
        self.count += 1
        return self.count


def test_computed_once_and_told_as_a_property() -> None:
    slow = Slow()
    assert (slow.quick, slow.quick, slow.count) == (1, 1, 1)
    assert isinstance(Slow.waits, functools.cached_property)
    assert Slow.waits.__doc__ == "Waits."


def test_no_lock_is_held_while_another_thread_computes() -> None:
    """A forked child would inherit it."""
    first, second = Slow(), Slow()
    thread = threading.Thread(target=lambda: first.waits)
    thread.start()
    assert first.begun.wait(60)
    second.go.set()
    done = threading.Event()
    other = threading.Thread(target=lambda: (second.waits, done.set()), daemon=True)
    other.start()
    assert done.wait(60)
    first.go.set()
    thread.join()
    assert first.waits == 1
