import deepspeed
import torch

model = torch.nn.Linear(4, 4)
engine, optimizer, _, _ = deepspeed.initialize(model=model, config="ds.json")  # ~ missing-visible-devices warning
for batch in range(3):
    engine.backward(model(torch.ones(4)).sum())
