import os

import torch

def make(card):
    class Inner:
        mask = card

        def more(self):
            return card + self.mask
    return Inner

os.environ["CUDA_VISIBLE_DEVICES"] = make("1")().more() + make("2").mask
torch.cuda.init()
