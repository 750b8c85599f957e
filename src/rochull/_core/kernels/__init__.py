"""Compiled loops, one module for each kind of work.

They stand on Numba and on each other. They never validate, read or write: they trust their input.
"""
