"""Whether an error is what became of Ctrl-C, or of SIGTERM, on its way up."""

from __future__ import annotations


def by_signal(error: BaseException | None) -> bool:
    """Whether a KeyboardInterrupt is the error, its cause, or what was being handled when it was raised.

    Python itself makes another error of what is raised while a class is defined, as in an import.
    """
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        if isinstance(error, KeyboardInterrupt):
            return True
        seen.add(id(error))
        error = error.__cause__ or error.__context__
    return False
