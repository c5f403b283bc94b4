import os
import torch

try:
    raise ExceptionGroup("several", [ValueError("1"), KeyError("2")])
except* ValueError as group:
    os.environ["CUDA_VISIBLE_DEVICES"] = str(len(group.exceptions))
except* KeyError:
    torch.cuda.init()
except* OSError:
    torch.cuda.current_device()
