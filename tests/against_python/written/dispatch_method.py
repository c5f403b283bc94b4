import functools
import os
import torch


class Chooser:
    @functools.singledispatchmethod
    def choose(self, what):
        os.environ["CUDA_VISIBLE_DEVICES"] = "0"

    @choose.register
    def _(self, what: int):
        os.environ["CUDA_VISIBLE_DEVICES"] = "1"


Chooser().choose(7)
torch.cuda.init()
