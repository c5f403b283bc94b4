import os

os.environb[b"CUDA_DEVICE_ORDER"] = b"PCI_BUS_ID"
os.environb[b"WORKERS"] = b"2"
