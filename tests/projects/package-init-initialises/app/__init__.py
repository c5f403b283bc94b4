import torch

GPU = torch.cuda.is_available()  # ~ cuda-query-at-import note
