"""The foundation of every wing: checked input, threads, files, documents, keys of rows, tables, and compiled
kernels.

It stands on NumPy alone where it can; whatever is heavier is imported inside the functions that need it. It
never knows what a hull, a condition or a rule is.
"""
