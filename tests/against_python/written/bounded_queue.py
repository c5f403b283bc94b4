import collections
import os
import torch

last = collections.deque(maxlen=2)
for card in range(4):
    last.append(card)
os.environ["CUDA_VISIBLE_DEVICES"] = str(last[0])
os.environ["CUDA_DEVICE_ORDER"] = str(len(last))
torch.cuda.init()
