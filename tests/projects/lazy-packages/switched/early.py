import torch

STARTED = torch.cuda.current_device()  # ~ cuda-query-at-import note


class Model:
    pass
