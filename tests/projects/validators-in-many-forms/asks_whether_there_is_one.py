import env
import torch

if not torch.cuda.is_available():
    raise SystemExit("no card")
torch.zeros(1).cuda()  # ~ missing-gpu-validation warning
