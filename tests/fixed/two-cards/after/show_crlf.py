import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "1"

import torch


def show():
	if (count := torch.cuda.device_count()) > 0:  # y en a-t-il ?
		print(torch.cuda.get_device_name(0), count)


show()