"""Whether an error is what became of a signal; what the program makes of one is in test_streams."""

from rochull.cli.interrupted import by_signal


def test_the_whole_chain_is_asked_even_where_it_is_a_ring() -> None:
    first, second = RuntimeError("first"), ValueError("second")
    first.__cause__, second.__context__ = second, first
    assert not by_signal(None)
    assert not by_signal(first)
    second.__cause__ = KeyboardInterrupt()
    assert by_signal(first)
    assert by_signal(second.__cause__)
