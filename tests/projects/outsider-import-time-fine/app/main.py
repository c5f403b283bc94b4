from . import device


def run():
    return device.buffer()
