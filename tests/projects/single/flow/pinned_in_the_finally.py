import os

try:
    print(open("settings.json").read())
except OSError:
    print("no settings")
finally:
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    os.environ["CUDA_VISIBLE_DEVICES"] = "0"

import torch

torch.cuda.init()
