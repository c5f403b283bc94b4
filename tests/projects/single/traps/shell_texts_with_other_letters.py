import os

card = 0
os.system("CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=%d python train.py  # 100% été" % card)
os.system("CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=%(card)é python train.py" % {"card": card})
os.system("CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES={é} python {0:é} {".format(é=card))
