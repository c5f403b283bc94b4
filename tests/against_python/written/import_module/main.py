import importlib
m = importlib.import_module("pkg.work")
m.go()
