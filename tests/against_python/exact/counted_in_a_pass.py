import os
import sys

import torch


class Worker:
    def __init__(self):
        self.given = 0

    def take(self):
        self.given += 1


def started():
    worker = Worker()
    worker.take()
    worker.given += 1
    return worker


# The same in one pass of a loop of which nobody knows how often it runs, and behind it.
for argument in sys.argv:
    worker = started()
    worker.take()
    os.environ["CUDA_VISIBLE_DEVICES"] = str(worker.given)

torch.cuda.init()
