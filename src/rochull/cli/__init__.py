"""The command line: parse, call, print.

It stands on everything, and on typer and rich, which are extras. It never decides anything that Python would
decide otherwise.
"""

from rochull._core.front_door import front_door

__getattr__, __dir__ = front_door(globals())
