import os
import torch

share = 0.1 + 0.2
os.environ["CUDA_VISIBLE_DEVICES"] = str(share) + str(7 / 2) + str(-7.5 % 2) + str(7 // 2.0)
os.environ["CUDA_VISIBLE_DEVICES"] = str(round(2.675, 2)) + str(round(2.5)) + str(int(-3.99)) + f"{3.14159:.2f}"
os.environ["CUDA_VISIBLE_DEVICES"] = str(1e16) + str(1e-5) + str(float("2")) + str([1.0, 2.5])
os.environ["CUDA_VISIBLE_DEVICES"] = str(max(1, 2.5)) + str(1 == 1.0) + str(0.5 < 1) + str(isinstance(1.5, float))
if 0.0:
    os.environ["CUDA_DEVICE_ORDER"] = "FASTEST_FIRST"
torch.cuda.init()
