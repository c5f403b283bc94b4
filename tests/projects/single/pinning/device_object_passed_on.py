import torch

device = torch.device("cuda")
model = torch.nn.Linear(4, 4)
model.to(device)  # ~ missing-visible-devices warning
