"""Text that looks like the choice of a card, and is text."""
HEADER = """
import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "1"
"""


def write(path):
    with open(path, "w") as script:
        script.write(HEADER)
