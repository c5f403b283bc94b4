import torch

devices = ["cuda:0", "cpu"]
print(torch.device("cpu", 1), torch.device("mps"), torch.device("meta"))
DEVICE_MAP = {"left": 1, "right": 2}
usb_device = 1
block_device = "/dev/sda1"
device_name = "Tesla"
model_device = "cuda"
print(devices, DEVICE_MAP, usb_device, block_device, device_name, model_device)
