import parts.first
import torch
torch.cuda.init()
