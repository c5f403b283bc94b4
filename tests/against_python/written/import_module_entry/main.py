import os
import torch
import importlib
def load(spec):
    mod, _, fn = spec.partition(":")
    return getattr(importlib.import_module(mod), fn)
load("plug:go")()
