__import__("os").environ.update({"CUDA_DEVICE_ORDER": "PCI_BUS_ID", "CUDA_VISIBLE_DEVICES": "0"})

torch = __import__("torch")
torch.cuda.init()
