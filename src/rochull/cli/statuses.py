"""The statuses that commands end with: the help, the page on the command line and the code read them here."""

from __future__ import annotations

from enum import IntEnum


class Status(IntEnum):
    """A status, and what it means."""

    told: str

    def __new__(cls, value: int, told: str) -> Status:
        made = int.__new__(cls, value)
        made._value_, made.told = value, told
        return made

    DONE = 0, "Done. Warnings may stand on stderr."
    FAILED = 1, "A file cannot be read or written, or what is asked cannot be had; with --strict, a warning."
    USAGE = 2, "The options are wrong, or do not fit together."
    LIMIT = 3, "A limit is broken: watch, judge."
    FOREIGN = 4, "With --strict: the scores are of another kind than those that the policy was made from."
    BETTER = 5, "Another rule is better: watch, judge."
    GATE = 6, "A gate failed: gate."
    INTERRUPTED = 130, "Interrupted by Ctrl-C."
    TERMINATED = 143, "Ended by SIGTERM."


def rows() -> list[tuple[int, str]]:
    """Every status with what it means, for readers."""
    return [(int(status), status.told) for status in Status]
