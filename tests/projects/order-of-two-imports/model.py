import torch

MODEL = torch.nn.Linear(1, 1).cuda()  # ~ gpu-object-at-import warning
