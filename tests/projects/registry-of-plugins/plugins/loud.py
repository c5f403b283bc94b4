import torch

READY = torch.cuda.is_available()  # ~ cuda-query-at-import note
