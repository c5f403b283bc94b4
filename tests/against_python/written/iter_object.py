import os
import torch


class Cards:
    def __init__(self):
        self.at = 0

    def __iter__(self):
        return self

    def __next__(self):
        self.at += 1
        if self.at > 2:
            raise StopIteration
        os.environ["CUDA_VISIBLE_DEVICES"] = str(self.at)
        return self.at


for card in Cards():
    print(card)
torch.cuda.init()
