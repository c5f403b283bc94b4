import os
import random


def choose(card):
    os.environ["CUDA_DEVICE_ORDER"] = os.environ["CUDA_VISIBLE_DEVICES"]
    os.environ["CUDA_VISIBLE_DEVICES"] = card


os.environ["CUDA_VISIBLE_DEVICES"] = "1"
[choose(card) for card in ("2", "3", "4") if card != "3" if random.random() < 0.5]
