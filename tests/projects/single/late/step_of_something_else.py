import os

import torch


class Environment:
    def step(self, action):
        return action

    def to(self, place):
        return self

    def cuda(self):
        return self


environment = Environment()
environment.step(1)
environment.to("cuda")
environment.cuda()
os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "0"  # ~ pin-after-gpu-import note
torch.ones(1).cuda()
