import os
import torch

cards = {3, 1, 2}
for card in cards:
    os.environ["CUDA_VISIBLE_DEVICES"] = str(card)
cards.update([1, 2, 9])
os.environ["CUDA_VISIBLE_DEVICES"] = str(len(cards))
cards.add(9)
cards |= {9, 1}
os.environ["CUDA_VISIBLE_DEVICES"] = str(len(cards)) + str(len({"a", "b"} | {"b"}))
os.environ["CUDA_VISIBLE_DEVICES"] = str(sorted({"b", "a"})) + str(len(set("hello")))
torch.cuda.init()
