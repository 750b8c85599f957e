"""Where a user's caches live."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def user_cache(named: str = "") -> Path:
    """The directory that is `named`, or ``NUMBA_CACHE_DIR``, or else what the system provides for it."""
    if named := named or os.environ.get("NUMBA_CACHE_DIR", ""):
        return Path(named)
    given = os.environ.get("LOCALAPPDATA" if sys.platform == "win32" else "XDG_CACHE_HOME", "")
    if os.path.isabs(given):
        return Path(given)
    home = Path.home()
    return home / "Library" / "Caches" if sys.platform == "darwin" else home / ".cache"
