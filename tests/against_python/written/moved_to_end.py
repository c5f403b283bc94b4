import os
import torch
from collections import OrderedDict

cards = OrderedDict(a="1", b="2")
cards.move_to_end("a")
os.environ["CUDA_VISIBLE_DEVICES"] = "".join(cards)
cards.move_to_end("a", last=False)
os.environ["CUDA_VISIBLE_DEVICES"] = "".join(cards) + cards.popitem()[0]
torch.cuda.init()
