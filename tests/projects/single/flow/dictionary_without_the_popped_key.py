import torch

options = {"device": "cuda", "dtype": torch.float32}
options.pop("device")
torch.zeros(1, **options)
