"""Resets of the card."""

import logging
import subprocess

import cupy
import torch
from numba import cuda


def emergency_reset():
    gc_done = torch.cuda.empty_cache()
    cuda.close()  # ~ gpu-reset-as-recovery warning
    cupy.cuda.runtime.deviceReset()  # ~ gpu-reset-as-recovery warning
    return gc_done


def harder(index):
    command = ["nvidia-smi", "--gpu-reset", "-i", str(index)]
    subprocess.check_call(command)  # ~ gpu-reset-as-recovery warning


def statistics():
    torch.cuda.reset_peak_memory_stats()
    torch.cuda.reset_accumulated_memory_stats()
    logging.info("use nvidia-smi --gpu-reset when nothing else helps")
    subprocess.run(["nvidia-smi", "-L"], check=True)
    subprocess.run(["echo", "nvidia-smi", "--gpu-reset"], check=True)


class Pool:
    def reset(self):
        self.device.reset()

    def close(self):
        self.cuda.close()
