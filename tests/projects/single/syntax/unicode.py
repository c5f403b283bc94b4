import os

# Größe, 決定, émoji 🙂
名前 = "🙂 cuda:1"
os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "0"; größe = "ü"; os.environ["X"] = 名前

import torch

torch.ones(1, device="cuda:1")  # ~ device-outside-mask error
