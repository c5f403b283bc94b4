import os

os.environ["PYTORCH_NVML_BASED_CUDA_CHECK"] = "1"

import multiprocessing

import torch


def work():
    torch.ones(1).cuda()


if __name__ == "__main__":
    if torch.cuda.is_available():
        multiprocessing.Process(target=work).start()
