import os
import torch
class Base:
    def go(self):
        return self.run()
def make(name, fn):
    return type(name, (Base,), {"run": fn, "card": "1"})
def use(self):
    os.environ["CUDA_VISIBLE_DEVICES"] = self.card
    torch.cuda.init()
K = make("K", use)
K().go()
if K.__name__ == "K" and issubclass(K, Base):
    torch.cuda.current_device()
