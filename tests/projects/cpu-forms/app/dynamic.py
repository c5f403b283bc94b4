import importlib

torch = importlib.import_module("torch")  # ~ gpu-import-in-cpu-mode error
cupy = __import__("cupy")  # ~ gpu-import-in-cpu-mode error


def later():
    return importlib.import_module("torch")
