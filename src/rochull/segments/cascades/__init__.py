"""Cascades: classifiers in an order, of which the next is asked only where it is worth its price.

They stand on rules, hulls and bins. They never ask a classifier for a case that is decided without it.
"""
