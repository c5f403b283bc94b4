import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "1"

from app.device import DEVICE
from app.model import Narrator

if __name__ == "__main__":
    Narrator().to(DEVICE)
