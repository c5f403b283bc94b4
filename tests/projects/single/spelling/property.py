import os

class Setup:
    @property
    def ready(self):
        os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
        os.environ["CUDA_VISIBLE_DEVICES"] = "1"
        return True


assert Setup().ready

import torch

torch.ones(1).cuda()
