import os
ORDER = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "1"
