from env import pin

pin()
import torch

torch.cuda.init()
