import os

from dotenv import load_dotenv

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
load_dotenv()

import torch

torch.ones(1).cuda()
