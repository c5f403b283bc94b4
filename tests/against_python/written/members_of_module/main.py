import os
import torch
import inspect
import nets
classes = dict(inspect.getmembers(nets, inspect.isclass))
classes["Net"]()
for name, c in inspect.getmembers(nets, lambda c: inspect.isclass(c) and c is not nets.Base and issubclass(c, nets.Base)):
    c().go()
