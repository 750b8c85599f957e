"""Compiled loops, one module for each kind of work.

They stand on Numba, on each other and on where caches are. They never validate, read or write: they trust
their input.
"""
