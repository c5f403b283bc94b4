import os
from multiprocessing import Process

import torch


class Worker(Process):
    def run(self):
        torch.cuda.init()


os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
if __name__ == "__main__":
    for index in range(2):
        os.environ["CUDA_VISIBLE_DEVICES"] = str(index)
        Worker().start()
