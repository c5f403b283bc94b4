from enum import Enum


class Device(str, Enum):
    CPU = "cpu"
    FIRST = "cuda:0"
    SECOND = "cuda:1"


def parse(text):
    return Device(text)


for device in Device:
    print(device.value)
