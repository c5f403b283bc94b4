import multiprocessing

import torch


def work(rank):
    torch.ones(1, device="cuda")
    print(rank)


if __name__ == "__main__":
    torch.cuda.synchronize()
    workers = [multiprocessing.Process(target=work, args=(rank,)) for rank in range(2)]
    for worker in workers:
        worker.start()  # ~ fork-after-cuda warning
    for worker in workers:
        worker.join()
