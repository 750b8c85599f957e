"""rochull: from classifier scores to decisions.

Public names are loaded when they are first used, so that ``import rochull`` costs next to nothing. They are listed in
the stub beside this file.
"""

from rochull._core.front_door import front_door
from rochull._core.version import __version__ as __version__

__getattr__, __dir__, __all__ = front_door(globals(), ("datasets",))
