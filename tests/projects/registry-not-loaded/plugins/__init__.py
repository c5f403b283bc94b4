import importlib

NAMES = ["loud"]


def load():
    return [importlib.import_module(f"plugins.{name}") for name in NAMES]
