import importlib

NAMES = ["plugins.cpu_plugin"]


def load_all():
    return [importlib.import_module(name) for name in NAMES]
