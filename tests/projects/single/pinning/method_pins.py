import os


class Setup:
    ORDER = "PCI_BUS_ID"

    def apply(self):
        self._order()
        os.environ["CUDA_VISIBLE_DEVICES"] = "0"

    def _order(self):
        os.environ["CUDA_DEVICE_ORDER"] = self.ORDER


Setup().apply()

import torch

torch.ones(2).cuda()
