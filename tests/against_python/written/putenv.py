import os
import torch

os.environ["CUDA_VISIBLE_DEVICES"] = "0"
os.putenv("CUDA_VISIBLE_DEVICES", "1")
if os.environ["CUDA_VISIBLE_DEVICES"] == "0":
    torch.cuda.init()
