import os
import torch

rests = {number % 2 for number in range(5)}
os.environ["CUDA_VISIBLE_DEVICES"] = str(len(rests))
torch.cuda.init()
