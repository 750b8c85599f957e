"""Hulls, curves and areas of many columns in the same passes over a table (see the architecture page)."""
