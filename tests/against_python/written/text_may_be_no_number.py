import os
import sys


def number_of(text):
    try:
        int("card" + text)
        os.environ["CUDA_VISIBLE_DEVICES"] = "0"
    except ValueError:
        os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"


number_of("1")
number_of(sys.argv[0])
try:
    int(sys.argv[0])
    os.environ["CUDA_VISIBLE_DEVICES"] = "1"
except ValueError:
    pass
os.environ["CUDA_VISIBLE_DEVICES"] = "2"
