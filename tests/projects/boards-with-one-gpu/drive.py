import torch

net = torch.nn.Linear(2, 2).to("cuda")  # ~ missing-visible-devices note
