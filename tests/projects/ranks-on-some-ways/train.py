import argparse
import os

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def work(number, world):
    os.environ.update({"RANK": str(number), "WORLD_SIZE": str(world)})
    torch.cuda.set_device(number)  # ~ missing-visible-devices note
    dist.init_process_group("nccl", init_method="env://")
    print(torch.ones(2, device="cuda"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--world", type=int, default=1)
    args = parser.parse_args()
    if args.world > 1:
        mp.spawn(work, args=(args.world,), nprocs=args.world)
    else:
        work(0, 1)


if __name__ == "__main__":
    main()
