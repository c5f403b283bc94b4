import os

import torch

choosers = [lambda: str(n) for n in range(3)]
bound = [lambda n=n: str(n) for n in range(3)]
os.environ["CUDA_VISIBLE_DEVICES"] = choosers[0]() + "," + bound[0]()
torch.cuda.init()
