import os

import torch
import torch.distributed as dist


def main():
    dist.init_process_group("gloo")
    torch.manual_seed(0)


if __name__ == "__main__":
    main()
