import os

import torch


class Job:
    def __init__(self, number):
        self.number = number

    def __lt__(self, other):
        torch.cuda.init()
        return self.number < other.number

    def __gt__(self, other):
        torch.cuda.current_device()
        return self.number > other.number

    def __radd__(self, other):
        os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
        return other


first, second = Job(1), Job(2)
sorted([first])
sum([first])
os.environ["CUDA_VISIBLE_DEVICES"] = str(sorted([second, first])[0].number)
os.environ["CUDA_VISIBLE_DEVICES"] = str(max([first, second]).number)
os.environ["CUDA_VISIBLE_DEVICES"] = str(min(second, first).number)
jobs = [second, first]
jobs.sort()
os.environ["CUDA_VISIBLE_DEVICES"] = str(jobs[0].number)
