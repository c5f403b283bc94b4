import os

import torch

gpus = os.environ["CUDA_VISIBLE_DEVICES"].split(",")
torch.zeros(len(gpus)).cuda()
