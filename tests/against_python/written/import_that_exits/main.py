import torch
import first
torch.cuda.init()
