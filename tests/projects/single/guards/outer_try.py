try:
    try:
        import cupy

        cupy.zeros(1)
    except ImportError:
        import numpy as cupy
except Exception:
    cupy = None
