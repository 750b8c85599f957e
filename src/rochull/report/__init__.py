"""Report on a hybrid of classifiers, as one self-contained page, as JSON, or as text.

It stands on the wings of the floors below: facts first, then their rendering. Its rendering never
computes: what words need beside the facts is derived in one place. A name is never markup.
"""

from rochull._core.front_door import front_door

__getattr__, __dir__ = front_door(globals())
