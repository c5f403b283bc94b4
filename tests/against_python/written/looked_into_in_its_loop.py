import os
import sys

import torch


class Cards(list):
    pass


class Counted:
    def __getitem__(self, index):
        if index > 1:
            raise IndexError(index)
        return "1"


seen = set()
for card in Cards(["1", "1"]):
    if card in seen:
        os.environ["CUDA_VISIBLE_DEVICES"] = "1"
    seen.add(card)

kept = []
for card in Counted():
    if kept:
        os.environ["CUDA_VISIBLE_DEVICES"] = "2"
    kept.append(card)

counts = {}
for word in sys.argv + sys.argv:
    if counts.get(word) is not None:
        torch.cuda.init()
    counts[word] = 1

names = []
for word in sys.argv + sys.argv:
    if len(names) > 1:
        os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    names.append(word)
