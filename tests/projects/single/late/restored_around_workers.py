import multiprocessing as mp
import os

import torch

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
mp.set_start_method("spawn", force=True)


def work(index):
    torch.ones(1).cuda(0)


def main():
    torch.cuda.init()  # gpulint: ignore[missing-visible-devices] the parent sees every card
    processes = []
    for gpu in range(2):
        old = os.environ.get("CUDA_VISIBLE_DEVICES")
        os.environ["CUDA_VISIBLE_DEVICES"] = str(gpu)
        try:
            process = mp.Process(target=work, args=(gpu,))
            process.start()
            processes.append(process)
        finally:
            if old is None:
                os.environ.pop("CUDA_VISIBLE_DEVICES", None)
            else:
                os.environ["CUDA_VISIBLE_DEVICES"] = old


if __name__ == "__main__":
    main()
