"""Words for readers: one catalogue of messages, and the formatter that puts their slots in.

It stands on the core alone. It never decides what is said: who knows the facts chooses a key, and each place
where people read (a reference, a page, a command line) has a vocabulary of its own for it.
"""
