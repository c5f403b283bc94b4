import time

import torch

while True:
    free, total = torch.cuda.mem_get_info()  # ~ missing-visible-devices warning
    print(free, total)
    time.sleep(1)
