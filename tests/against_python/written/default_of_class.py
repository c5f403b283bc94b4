import os
import torch


class Card:
    index = "1"

    def pick(self):
        if os.environ.get("MODE"):
            self.index = "2"


card = Card()
card.pick()
os.environ["CUDA_VISIBLE_DEVICES"] = card.index
torch.cuda.init()
