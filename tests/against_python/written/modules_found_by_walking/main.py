import os
import torch
import importlib
import pkgutil
import plugins
def load(package):
    for info in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        importlib.import_module(info.name)
load(plugins)
plugins.run()
