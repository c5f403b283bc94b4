"""Locks around the GPU."""

import multiprocessing
import os
import threading
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial

import torch

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "0"

GPU_LOCK = threading.Lock()  # ~ thread-lock-across-processes warning
THREAD_LOCK = threading.Lock()
PROCESS_LOCK = multiprocessing.Lock()
PRINT_LOCK = threading.RLock()


class Manager:
    def __init__(self):
        self.lock = threading.Lock()  # ~ thread-lock-across-processes warning

    def work(self, batch):
        with self.lock:
            return torch.ones(4).cuda() + batch

    def start(self, batches):
        with multiprocessing.get_context("spawn").Pool(8) as pool:
            return pool.map(self.work, batches)


def infer(batch, scale):
    with GPU_LOCK:
        return batch.cuda() * scale


def infer_in_a_thread(batch):
    with THREAD_LOCK:
        return batch.cuda()


def infer_in_a_process(batch):
    with PROCESS_LOCK:
        return batch.cuda()


def parse(line):
    with PRINT_LOCK:
        print(line)


if __name__ == "__main__":
    executor = ProcessPoolExecutor(8)
    futures = [executor.submit(partial(infer, scale=2), batch) for batch in []]
    with ThreadPoolExecutor(8) as threads:
        threads.map(infer_in_a_thread, [])
    multiprocessing.Process(target=infer_in_a_process, args=(1,)).start()
    multiprocessing.Process(target=parse, args=("line",)).start()
