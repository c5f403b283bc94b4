import os
import threading

import torch


def work():
    torch.cuda.init()


thread = threading.Thread(target=work)
os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "0"  # ~ pin-after-gpu-import note
thread.start()
