import os

import torch


def train(name=torch.cuda.get_device_name(0)):  # ~ cuda-call-in-default-argument warning
    print(name)


os.environ["CUDA_VISIBLE_DEVICES"] = "0"  # ~ pin-after-cuda-init error
train()
