import os
import torch
class B:
    def run(self): pass
class C(B):
    def run(self):
        torch.cuda.init()
for c in B.__subclasses__():
    c().run()
