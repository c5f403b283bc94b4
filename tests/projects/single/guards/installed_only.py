import importlib
import importlib.util

import numpy

xp = importlib.import_module("cupy") if importlib.util.find_spec("cupy") else numpy  # ~ gpu-import-guard-too-narrow note
