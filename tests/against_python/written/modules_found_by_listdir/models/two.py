import torch
from models import register
torch.cuda.current_device()
