import os
import sys


def cards():
    if len(sys.argv) > 2:
        return
    yield "0"


def first():
    for card in cards():
        return card
    os.environ["CUDA_VISIBLE_DEVICES"] = "1"


first()
