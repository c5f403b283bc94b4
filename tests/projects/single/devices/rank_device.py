import os

import torch


def setup():
    rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(rank)
    device = torch.device("cuda", rank)
    return torch.device(f"cuda:{rank}"), device
