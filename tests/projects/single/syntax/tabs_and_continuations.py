import os, \
	torch

if True:
	os.environ["CUDA_DEVICE_ORDER"] = \
		"PCI_BUS_ID"
	os.environ.update(CUDA_VISIBLE_DEVICES="0")  # comment  # ~ pin-after-gpu-import note

print(torch.__version__)
