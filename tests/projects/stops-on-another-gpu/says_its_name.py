# It only says which one it got, and stops for another reason.
import sys

import torch

print("on", torch.cuda.get_device_name(0))
if len(sys.argv) < 2:
    raise SystemExit("which file?")
weights = torch.zeros(4, device="cuda")  # ~ missing-visible-devices note
