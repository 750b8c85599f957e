"""The SQL of databases, one module for each dialect over the class of all.

They stand on sqlglot. They never decide: they write down what a rule says. A new dialect is a subclass of
`Dialect` in a module of its own and a line in `registry`; one that lives elsewhere is registered there.
"""
