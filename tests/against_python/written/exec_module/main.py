import importlib.util
import os
import torch
place = os.path.join(os.path.dirname(__file__), "fast.py")
spec = importlib.util.spec_from_file_location("fast", place)
fast = importlib.util.module_from_spec(spec)
os.environ["CUDA_VISIBLE_DEVICES"] = "0"
spec.loader.exec_module(fast)
os.environ["CUDA_DEVICE_ORDER"] = fast.ORDER
torch.cuda.init()
