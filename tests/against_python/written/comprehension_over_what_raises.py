import os


def cards():
    raise ValueError


def names():
    os.environ["CUDA_VISIBLE_DEVICES"] = "0"
    raise LookupError


try:
    found = [card for card in cards() if card]
    os.environ["CUDA_VISIBLE_DEVICES"] = "1"
except ValueError:
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
try:
    found = {name: card for name, card in names().items()}
    os.environ["CUDA_VISIBLE_DEVICES"] = "2"
except LookupError:
    os.environ["CUDA_DEVICE_ORDER"] = "FASTEST_FIRST"
