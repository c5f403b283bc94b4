from __future__ import annotations

import torch


def norm(x: torch.cuda.FloatTensor, device: torch.device = torch.device("cuda")) -> torch.Tensor:
    print("cuda" in str(device), device.type == "cuda")
    return x


y: "torch.cuda.HalfTensor"
