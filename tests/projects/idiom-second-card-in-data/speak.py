import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "1"

from voice.config import DEFAULTS, Settings
from voice.engine import load

if __name__ == "__main__":
    print(Settings().voice, DEFAULTS["rate"])
    load({"voice": "anna"})
