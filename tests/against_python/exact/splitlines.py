import os

import torch

text = """
gpu=1
seed=3
"""
settings = dict(line.split("=", 1) for line in text.strip().splitlines())
os.environ["CUDA_VISIBLE_DEVICES"] = settings["gpu"]
torch.cuda.init()
