import os

os.environ["CUDA_VISIBLE_DEVICES"] = ""

import torch

torch.ones(1).to("cuda:0")  # ~ device-outside-mask error
