import os
import torch
import enum
class Dev(str, enum.Enum):
    CPU = "cpu"
    GPU = "cuda"
    def __str__(self):
        return self.value
if Dev.GPU == "cuda":
    torch.cuda.init()
try:
    Dev("tpu")
    torch.cuda.current_device()
except ValueError:
    torch.zeros(1).cuda()
if f"{Dev.GPU}" == "cuda":
    os.environ["CUDA_VISIBLE_DEVICES"] = "1"
