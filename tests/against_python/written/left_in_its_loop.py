import os

import torch


def cards():
    while True:
        yield "2"
        os.environ["CUDA_VISIBLE_DEVICES"] = "3"
    raise ValueError("never")


asked = cards()
next(asked)
card = next(asked, "1")
torch.zeros(1).to("cuda:1")
