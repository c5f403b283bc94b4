import os

class Base:
    def pin(self):
        os.environ["CUDA_VISIBLE_DEVICES"] = "1"


class Quiet(Base):
    def pin(self):
        print("not pinned")


Quiet().pin()
os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"

import torch  # ~ missing-visible-devices error

torch.ones(1).cuda()
