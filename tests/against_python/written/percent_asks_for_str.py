import os

import torch


class Card:
    def __format__(self, spec):
        torch.cuda.init()
        return spec

    def __str__(self):
        torch.cuda.current_device()
        return "1"


os.environ["CUDA_VISIBLE_DEVICES"] = "%s" % Card()
