import torch

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"  # ~ cuda-query-at-import note


class Model:
    pass
