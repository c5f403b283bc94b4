import os

import torch

cards = [("b", 2), ("a", 3), ("c", 1)]
cards.sort(key=lambda card: card[1], reverse=True)
os.environ["CUDA_VISIBLE_DEVICES"] = "".join(name for name, _ in cards)
numbers = [3, 1, 2]
numbers.sort(reverse=True)
os.environ["CUDA_VISIBLE_DEVICES"] = ",".join(map(str, numbers))
torch.cuda.init()
