import cupy


def scale():
    return cupy.zeros(1)
