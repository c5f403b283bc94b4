import torch

COUNT = torch.cuda.current_device()  # ~ cuda-query-at-import note
