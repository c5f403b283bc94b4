import os
import torch

names = {"a", "b", "c", "d"}
for name in names:
    os.environ["CUDA_VISIBLE_DEVICES"] = name
os.environ["CUDA_DEVICE_ORDER"] = ",".join(names)
os.environ["CUDA_DEVICE_ORDER"] = list(names)[0]
os.environ["CUDA_DEVICE_ORDER"] = tuple(names)[1]
for number, name in enumerate(names):
    if number == 2:
        os.environ["CUDA_DEVICE_ORDER"] = name
os.environ["CUDA_DEVICE_ORDER"] = next(iter(names))
os.environ["CUDA_DEVICE_ORDER"] = names.pop()
torch.cuda.init()
