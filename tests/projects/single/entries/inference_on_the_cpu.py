import torch
from torch import nn

model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
model.eval()
with torch.inference_mode():
    print(model(torch.randn(1, 4)).item())
