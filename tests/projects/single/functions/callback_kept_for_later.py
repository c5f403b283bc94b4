import os
import signal

import torch


def on_signal(number, frame):
    torch.cuda.init()


signal.signal(signal.SIGUSR1, on_signal)
os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "0"  # ~ pin-after-gpu-import note
