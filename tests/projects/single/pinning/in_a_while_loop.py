import time

import torch

while True:
    free, total = torch.zeros(2, device="cuda")  # ~ missing-visible-devices warning
    print(free, total)
    time.sleep(1)
