import importlib


def __getattr__(name):
    if name == "gpu":
        return importlib.import_module("tool.gpu")
    raise AttributeError(name)
