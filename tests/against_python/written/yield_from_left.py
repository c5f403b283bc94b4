import os
import sys

import torch


def cards():
    try:
        yield "0"
        yield "1"
    finally:
        os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"


def passed_on():
    yield from cards()
    os.environ["CUDA_VISIBLE_DEVICES"] = "2"
    torch.cuda.init()


def twice_passed_on():
    yield from passed_on()
    os.environ["CUDA_VISIBLE_DEVICES"] = "3"


def perhaps():
    if len(sys.argv) > 2:
        return
    yield "4"


def perhaps_passed_on():
    yield from perhaps()
    os.environ["CUDA_VISIBLE_DEVICES"] = "5"


def first():
    for card in twice_passed_on():
        return card


for card in twice_passed_on():
    break
first()
for card in passed_on():
    if card == "1":
        break
for card in perhaps_passed_on():
    break
torch.cuda.is_available()
