import os

import torch


class Data:
    def __getitem__(self, index):
        return torch.zeros(1).cuda()

    def __len__(self):
        return 3


data = Data()
print(len(data))
os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "0"  # ~ pin-after-gpu-import note
print(data[0])
os.environ["CUDA_VISIBLE_DEVICES"] = "1"  # ~ pin-after-cuda-init error
