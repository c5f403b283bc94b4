import os

import torch

os.environ["CUDA_VISIBLE_DEVICES"] = "[0, 1]".strip("[]").replace(" ", "")
torch.cuda.init()
