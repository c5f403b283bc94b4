import sys

try:
    import cupy as cp
except ImportError:
    print("install CuPy")
    sys.exit(1)

print(cp.zeros(1))
