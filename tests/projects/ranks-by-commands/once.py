import os

import torch
import torch.distributed as dist

rank = int(os.environ["RANK"])
dist.init_process_group("nccl")  # ~ rank-without-device note
net = torch.nn.Linear(2, 2).to(f"cuda:{rank}")  # ~ global-rank-as-device note
