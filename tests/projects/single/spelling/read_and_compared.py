import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
if os.environ.get("CUDA_VISIBLE_DEVICES") == "1":
    print("right card")

import torch  # ~ missing-visible-devices error

torch.ones(1).cuda()
