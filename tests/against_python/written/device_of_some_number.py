import sys

import torch

number = sys.argv[1] if len(sys.argv) > 1 else "0"
torch.zeros(1, device="cuda:" + number)
torch.ones(1, device=f"cuda:{number}")
