import importlib

name = "one"
module = importlib.import_module(f"pkg.{name}")
module.run()
