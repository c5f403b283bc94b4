import cupy
