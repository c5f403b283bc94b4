import os
import torch
class Meta(type):
    plugins = {}
    def __new__(mcs, name, bases, ns):
        cls = super().__new__(mcs, name, bases, ns)
        if bases:
            mcs.plugins[ns.get("key", name)] = cls
        return cls
class Plugin(metaclass=Meta):
    def run(self): pass
class One(Plugin):
    key = "one"
    def run(self): torch.cuda.init()
class Two(Plugin):
    def run(self): torch.cuda.current_device()
Meta.plugins["one"]().run()
if "Two" in Meta.plugins:
    Meta.plugins["Two"]().run()
