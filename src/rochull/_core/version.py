"""The version, where every floor can read it; the same as in pyproject.toml."""

__version__ = "0.1.0"
