import os

import torch


def parts(count):
    for number in range(count):
        yield str(number)
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"


class Cards:
    def __iter__(self):
        yield "a"
        yield from parts(2)
        yield "b"


os.environ["CUDA_VISIBLE_DEVICES"] = ",".join(Cards())
first, *others = Cards()
os.environ["CUDA_VISIBLE_DEVICES"] = first + others[-1] + list(parts(2))[1]
one, two = parts(2)
os.environ["CUDA_VISIBLE_DEVICES"] = two + ",".join([letter for letter in Cards()])
torch.cuda.init()
