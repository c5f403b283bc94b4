import os

assert os.environ.get("CUDA_VISIBLE_DEVICES") == "1", "start this with CUDA_VISIBLE_DEVICES=1"
os.environ.setdefault("CUDA_DEVICE_ORDER", "PCI_BUS_ID")
print(os.environ["CUDA_VISIBLE_DEVICES"])
