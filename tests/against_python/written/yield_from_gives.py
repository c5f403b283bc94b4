import os


def inner():
    got = yield "0"
    os.environ["CUDA_DEVICE_ORDER"] = got or "FASTEST_FIRST"
    return "1"


def outer():
    card = yield from inner()
    yield card


for last in outer():
    pass
if last != "1":
    os.environ["CUDA_VISIBLE_DEVICES"] = "0"
os.environ["CUDA_VISIBLE_DEVICES"] = last
