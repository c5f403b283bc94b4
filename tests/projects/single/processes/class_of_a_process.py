import multiprocessing

import torch


class Worker(multiprocessing.Process):
    def run(self):
        torch.ones(1).cuda()


if __name__ == "__main__":
    print(torch.cuda.get_device_name(0))
    Worker().start()  # ~ fork-after-cuda warning
