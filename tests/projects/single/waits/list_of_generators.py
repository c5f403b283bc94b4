import os

import torch


def batches():
    yield torch.zeros(1).cuda()


every = [batches() for _ in range(2)]
os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "0"  # ~ pin-after-gpu-import note
for batch in every:
    print(list(batch))
