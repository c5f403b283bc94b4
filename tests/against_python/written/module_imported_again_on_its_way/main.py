import sys

import torch

if len(sys.argv) < 5:
    from parts import Part

    Part.device = "cuda"

if len(sys.argv) < 5:
    from parts import Part

    torch.zeros(1, device=Part.device)
