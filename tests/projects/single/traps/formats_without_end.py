import os

os.environ["TEXT"] = f"{1:99999999999}"
os.environ["TEXT"] = f"{1:.70000f}"
os.environ["TEXT"] = "%.99999999f" % 1
os.environ["TEXT"] = "%99999999999999999999999d" % 1
os.environ["TEXT"] = "{:.70000f}".format(1)
os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "0"

import torch

torch.cuda.init()
