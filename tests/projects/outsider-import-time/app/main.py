from . import device


def run():
    return device.current()
