import importlib
for name in ["a", "b"]:
    importlib.import_module("plugins." + name).run()
