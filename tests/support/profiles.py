"""How many examples a property is tried on: all where CI or `make test-all` asks for them, else one in five."""

import os
from typing import Any

from hypothesis import HealthCheck, settings

# The time of one example says nothing: the first one compiles a kernel, and the machine may be busy.
_SLOW_MACHINE: dict[str, Any] = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
FULL = 100

settings.register_profile("quick", max_examples=FULL // 5, **_SLOW_MACHINE)
settings.register_profile("full", max_examples=FULL, **_SLOW_MACHINE)
# In CI the examples are the same in every run, so that a failure belongs to the change under test.
settings.register_profile("ci", max_examples=FULL, derandomize=True, print_blob=True, **_SLOW_MACHINE)
_chosen = "ci" if os.environ.get("CI") else "full" if os.environ.get("HYPOTHESIS_FULL") else "quick"
settings.load_profile(_chosen)  # --hypothesis-profile names another


def tries(number: int) -> settings:
    """Return settings for that many examples in a full run, and the same share of them in a quick one."""
    return settings(max_examples=max(number * settings().max_examples // FULL, 5))
