"""Settings of the project, from the time when there was one card."""
import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "0"  # ~ wrong-visible-devices error, conflicting-pins error

RATE = 22050
