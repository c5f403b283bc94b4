import os
import torch

os.environ["CUDA_VISIBLE_DEVICES"] = "1"
os.putenv("CUDA_VISIBLE_DEVICES", "2")
if os.environ["CUDA_VISIBLE_DEVICES"] == "1":
    torch.cuda.init()
os.environ["CUDA_VISIBLE_DEVICES"] = "3"
if os.environ.get("CUDA_VISIBLE_DEVICES") == "2":
    os.environ["CUDA_DEVICE_ORDER"] = "FASTEST_FIRST"
