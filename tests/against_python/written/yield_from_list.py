import os


def cards():
    os.environ["CUDA_VISIBLE_DEVICES"] = "9"
    yield from ["0", "1"]


for card in cards():
    old = os.environ["CUDA_VISIBLE_DEVICES"]
    os.environ["CUDA_VISIBLE_DEVICES"] = card
    os.environ["CUDA_DEVICE_ORDER"] = old
