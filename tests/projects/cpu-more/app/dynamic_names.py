import importlib

MODULE = "torch"
importlib.import_module(MODULE)  # ~ gpu-import-in-cpu-mode error
importlib.util.find_spec("cupy")


def probe():
    return importlib.util.find_spec("torch") is not None
