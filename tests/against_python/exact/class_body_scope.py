import os

import torch

card = "0"

class Options:
    card = "1"
    cards = [card for _ in range(2)]
    mask = card + "x"

    def read(self):
        return card

os.environ["CUDA_VISIBLE_DEVICES"] = Options.mask + Options().read() + Options.cards[0]
torch.cuda.init()
