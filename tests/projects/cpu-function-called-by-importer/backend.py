def load(name):
    if name == "numpy":
        import numpy

        return numpy
    try:
        import cupy  # ~ gpu-import-in-cpu-mode error

        return cupy
    except ImportError:
        import numpy

        return numpy
