import torch
from torch import optim

model = torch.nn.Linear(2, 2)
optimizer = optim.SGD(model.parameters(), lr=0.1)
scheduler = optim.lr_scheduler.StepLR(optimizer, step_size=1)
for _ in range(3):
    optimizer.step()
    scheduler.step()
