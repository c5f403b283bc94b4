import importlib

importlib.import_module("gpu_setup")
torch = importlib.import_module("torch")
torch.ones(1).cuda()
