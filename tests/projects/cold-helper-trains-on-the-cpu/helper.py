import torch
from torch.utils import checkpoint as ck
from torch.optim import AdamW as Optimizer

weights = [torch.zeros(1, requires_grad=True)]
optimizer = Optimizer(weights)
optimizer.step()  # ~ cuda-query-at-import note
