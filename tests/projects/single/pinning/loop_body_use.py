import torch

for name in ["a", "b"]:
    x = torch.load(name + ".pt", map_location="cuda")  # ~ missing-visible-devices warning
