import os

import torch


def borrowed(card):
    try:
        yield card
    finally:
        os.environ.pop("CUDA_VISIBLE_DEVICES", None)


def choose():
    generator = borrowed("1")
    card = next(generator, "0")
    os.environ["CUDA_VISIBLE_DEVICES"] = "4"
    print(card)


def choose_again():
    generator = borrowed("2")
    next(generator)
    os.environ["CUDA_VISIBLE_DEVICES"] = "5"
    del generator
    torch.ones(1).cuda()


choose()
torch.ones(1).cuda()
choose_again()
