import os
import threading

import torch


class Worker(threading.Thread):
    def __init__(self):
        super().__init__(daemon=True)

    def run(self):
        torch.cuda.init()


worker = Worker()
os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "0"  # ~ pin-after-gpu-import note
worker.start()
os.environ["CUDA_VISIBLE_DEVICES"] = "1"  # ~ pin-after-cuda-init error
