import os
import sys
from typing import TYPE_CHECKING

from parts.lazy import _LazyModule

SLOW_IMPORT = os.environ.get("SWITCHED_SLOW_IMPORT", "FALSE").upper() in {"1", "YES", "TRUE"}

if TYPE_CHECKING or SLOW_IMPORT:
    from .early import Model
else:
    sys.modules[__name__] = _LazyModule(__name__, __file__, {"early": ["Model"]})
