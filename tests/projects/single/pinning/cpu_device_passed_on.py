import torch

device = torch.device("cpu")
model = torch.nn.Linear(4, 4).to(device)
batch = torch.zeros(4, 4, device=device)
print(model(batch).shape)
