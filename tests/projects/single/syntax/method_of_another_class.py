import os

import torch


class A:
    def setup(self):
        os.environ["CUDA_VISIBLE_DEVICES"] = "0"


class B:
    def setup(self):
        print("nothing")


B().setup()
torch.ones(1).cuda()  # ~ missing-visible-devices warning
