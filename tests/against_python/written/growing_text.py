import os
import sys

cards = "7"


def numbers():
    yield from ["4" if len(sys.argv) > 1 else "4" for _ in range(2)]


for number in numbers():
    cards = f"{cards},4"
os.environ["CUDA_VISIBLE_DEVICES"] = cards
