import importlib
import os
REG = {}
def register(name):
    def deco(f):
        REG[name] = f
        return f
    return deco
def build(name):
    return REG[name]()
for f in sorted(os.listdir(os.path.dirname(__file__))):
    if f.endswith(".py") and not f.startswith("_"):
        importlib.import_module("models." + f[:-3])
