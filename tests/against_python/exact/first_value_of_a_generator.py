import os


def cards():
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    card = "3"
    yield card
    os.environ["CUDA_DEVICE_ORDER"] = "FASTEST_FIRST"


def borrowed(count):
    with open(os.devnull):
        try:
            yield str(count * 2)
        finally:
            os.environ.pop("CUDA_DEVICE_ORDER", None)


waiting = cards()
os.environ["CUDA_VISIBLE_DEVICES"] = next(waiting)
os.environ["CUDA_VISIBLE_DEVICES"] = next(borrowed(4))
