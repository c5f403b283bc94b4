import os

import torch


class Batches:
    def __iter__(self):
        for _ in range(3):
            yield torch.zeros(1).cuda()  # ~ missing-visible-devices warning


os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
batches = Batches()
for batch in batches:
    print(batch)
