import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def work(rank, world):
    dist.init_process_group("nccl", rank=rank, world_size=world)  # ~ rank-without-device warning
    net = torch.nn.Linear(2, 2).cuda()  # ~ missing-visible-devices warning


if __name__ == "__main__":
    mp.spawn(work, args=(2,), nprocs=2)
