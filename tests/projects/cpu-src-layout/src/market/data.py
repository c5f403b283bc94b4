import cupy  # ~ gpu-import-in-cpu-mode error


def load():
    return cupy.zeros(3)
