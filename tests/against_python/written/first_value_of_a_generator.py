import os
import torch


def cards():
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    yield "3"
    torch.ones(1).cuda()
    yield "4"


def guarded():
    try:
        while True:
            os.environ["STEP"] = "1"
            yield "5"
    finally:
        torch.cuda.is_available()


waiting = cards()
os.environ["CUDA_VISIBLE_DEVICES"] = next(waiting)
torch.ones(1).cuda()
os.environ["CUDA_VISIBLE_DEVICES"] = next(guarded())
os.environ["CUDA_VISIBLE_DEVICES"] = next(waiting, "9")


def hold():
    held = guarded()
    os.environ["CUDA_VISIBLE_DEVICES"] = next(held)
    os.environ["CUDA_DEVICE_ORDER"] = "FASTEST_FIRST"


hold()
