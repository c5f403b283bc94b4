class Device:
    def __init__(self, index):
        self.index = index


class Trainer:
    def __init__(self, devices):
        self.devices = devices


def pipeline(name, device=0):
    return name, device


Trainer(devices=[1])
Device(1)
pipeline("x", device=1)
