"""One line for what is refused."""

from collections.abc import Callable
from typing import Any

import pytest


def refuses(message: str, function: Callable[..., Any], /, *arguments: Any, **options: Any) -> None:
    """Check that a call raises a ValueError whose message matches a pattern."""
    with pytest.raises(ValueError, match=message):
        function(*arguments, **options)
