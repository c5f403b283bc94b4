import argparse

import torch
import torch.cuda as gpu
from torch import hip  # ~ nonexistent-gpu-api error


class Monitor:
    def __init__(self):
        self.card = torch.cuda.get_device_properties(0)

    def report(self):
        total = self.card.total_mem  # ~ nonexistent-gpu-api error
        free, _ = gpu.mem_get_info()
        return total - free, gpu.memory_info()  # ~ nonexistent-gpu-api error

    def clean(self):
        for _ in range(3):
            gpu.clear_cache()  # ~ nonexistent-gpu-api error


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--clean", action="store_true")
    if parser.parse_args().clean and hip.is_available():
        torch.mps.clear_cache()  # ~ nonexistent-gpu-api error
