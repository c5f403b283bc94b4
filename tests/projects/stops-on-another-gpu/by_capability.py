# Many GPUs can do the same: which one it is does not matter.
import torch

if torch.cuda.get_device_capability(0) < (8, 0):
    raise SystemExit("bfloat16 needs a newer GPU")
weights = torch.zeros(4, device="cuda")  # ~ missing-visible-devices note
