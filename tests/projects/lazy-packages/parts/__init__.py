import sys
from typing import TYPE_CHECKING

from .lazy import _LazyModule

_import_structure = {"models": ["Model"], "devices": ["choose", "pick"]}

if TYPE_CHECKING:
    from .devices import *
    from .models import Model
else:
    sys.modules[__name__] = _LazyModule(__name__, __file__, _import_structure)
