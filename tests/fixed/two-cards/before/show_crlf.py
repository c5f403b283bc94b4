import torch


def show():
	if (count := torch.cuda.device_count()) > 0:  # y en a-t-il ?
		print(torch.cuda.get_device_name(0), count)


show()