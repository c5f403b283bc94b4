import os
import torch
class Registry(type):
    known = {}
    def __new__(mcls, name, bases, namespace, **kw):
        namespace.setdefault("card", "9")
        cls = super().__new__(mcls, name, bases, namespace)
        if bases:
            mcls.known[name] = cls
        return cls
    def __getitem__(cls, name):
        return Registry.known[name]
    def __len__(cls):
        return len(cls.known)
    def __iter__(cls):
        return iter(cls.known.values())
    def build(cls, n):
        return cls.card + n
    @property
    def shown(cls):
        return cls.__name__.lower()
class Model(metaclass=Registry):
    def __init__(self):
        os.environ["CUDA_VISIBLE_DEVICES"] = self.card
class Small(Model):
    card = "1"
class Large(Model):
    pass
Model["Large"]()
for kind in Model:
    kind()
os.environ["CUDA_VISIBLE_DEVICES"] = Small.build("x") + Small.shown
if len(Model) == 2:
    torch.cuda.init()
