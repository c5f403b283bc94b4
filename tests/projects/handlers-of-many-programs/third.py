import os
import signal

import reload
import torch

os.environ.pop("RELOADED", None)
os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
torch.cuda.init()
signal.raise_signal(signal.SIGUSR1)
if os.environ.get("RELOADED") == "1":
    os.environ["CUDA_VISIBLE_DEVICES"] = "1"  # ~ pin-after-cuda-init error
