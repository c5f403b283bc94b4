import os

if os.environ.get("BACKEND") == "cuda":
    import cupy as xp  # ~ gpu-import-in-cpu-mode error
else:
    import numpy as xp
