import env
import torch

free, total = torch.cuda.mem_get_info()
if total < 20 * 1024**3:
    raise RuntimeError("too small a card")
torch.zeros(1, device="cuda")
