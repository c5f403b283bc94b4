import multiprocessing

import torch


def work():
    torch.ones(1).cuda()


if __name__ == "__main__":
    loss = torch.ones(1, requires_grad=True).sum()
    loss.backward()
    multiprocessing.Process(target=work).start()  # ~ fork-after-cuda warning
