import os

exec("os.environ['CUDA_VISIBLE_DEVICES'] = '0'")
os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
print("nothing uses a GPU")
