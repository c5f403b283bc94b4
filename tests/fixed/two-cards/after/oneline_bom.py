import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "1"

import torch; from tools.cards import require_big_card; require_big_card(); print(torch.zeros(1).to("cuda:0"))
