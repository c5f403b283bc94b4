import importlib.util

import numpy as np

GPU = importlib.util.find_spec("cupy") is not None
if GPU:
    import cupy

    GPU = cupy.cuda.is_available()
xp = cupy if GPU else np
