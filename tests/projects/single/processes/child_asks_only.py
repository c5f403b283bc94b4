import multiprocessing

import torch


def work():
    print(torch.cuda.is_available())


if __name__ == "__main__":
    print(torch.cuda.is_available())
    multiprocessing.Process(target=work).start()
