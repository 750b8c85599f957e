"""The SQL of databases, one module for each dialect over the class of all.

They stand on rules and on sqlglot, below the maps and the plans that are written in them. They never decide:
they write down what is given. A new dialect is a subclass of `Dialect` in a module of its own and a line in
`registry`; one that lives elsewhere is registered there.
"""
