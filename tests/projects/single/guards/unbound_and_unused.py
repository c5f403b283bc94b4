try:
    import cupy
except ImportError:
    pass


def first():
    import cupy

    return cupy.zeros(1)
