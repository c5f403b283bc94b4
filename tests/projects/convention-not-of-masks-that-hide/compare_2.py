# It computes on the CPU, so it chooses no card, and is no example for the others.
import os

os.environ["CUDA_VISIBLE_DEVICES"] = ""

import torch

torch.zeros(2).cuda()
