import cupy


def start():
    cupy.zeros(2)
