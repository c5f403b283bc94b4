Start-Process python "train.py" -Environment @{ CUDA_DEVICE_ORDER = "PCI_BUS_ID"; CUDA_VISIBLE_DEVICES = "1" }
