import torch
import torch.multiprocessing as mp

CONTEXT = mp.get_context("fork")


def work():
    torch.ones(1).cuda()


if __name__ == "__main__":
    torch.cuda.init()
    CONTEXT.Process(target=work).start()  # ~ fork-after-cuda warning
    mp.get_context("spawn").Process(target=work).start()
    with mp.get_context("spawn").Pool(2) as pool:
        pool.map(work, [])
