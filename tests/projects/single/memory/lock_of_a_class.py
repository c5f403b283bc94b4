import multiprocessing
import threading
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import torch


class Gate:
    lock = threading.Lock()  # ~ thread-lock-across-processes warning

    def run(self, path):
        with self.lock:
            return torch.load(path, map_location="cuda")


class Shared:
    gpu_lock = threading.RLock()  # ~ thread-lock-across-processes warning


class Threads:
    lock = threading.Lock()

    def run(self, path):
        with self.lock:
            return torch.load(path, map_location="cpu")


class Processes:
    lock = multiprocessing.Lock()


gate = Gate()


def with_gate(path):
    return gate.run(path)


def with_shared(path):
    with Shared.gpu_lock:
        return torch.load(path, map_location="cuda")


def with_processes(path):
    with Processes.lock:
        return torch.load(path, map_location="cuda")


def load_all(paths):
    with ProcessPoolExecutor() as pool:
        results = list(pool.map(with_gate, paths))
        results += pool.map(with_shared, paths)
        results += pool.map(with_processes, paths)
    threads = Threads()
    with ThreadPoolExecutor() as workers:
        results += workers.map(threads.run, paths)
    return results
