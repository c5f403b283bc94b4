import importlib
import os
import torch
import choice

os.environ["CUDA_VISIBLE_DEVICES"] = "7"
importlib.reload(choice)
torch.cuda.init()
