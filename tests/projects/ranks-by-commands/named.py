import os

import torch
from torch.distributed import init_process_group
from torch.nn.parallel import DistributedDataParallel as DDP

several = "RANK" in os.environ
if several:
    init_process_group(backend="nccl")  # ~ rank-without-device note
    device = int(os.environ["LOCAL_RANK"])
else:
    device = 0

model = torch.nn.Linear(2, 2).to(device)
model = DDP(model, device_ids=[device]) if several else model
