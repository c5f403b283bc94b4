import importlib, pkgutil
for info in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{info.name}")
