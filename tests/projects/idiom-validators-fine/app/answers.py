"""Checks that answer; who calls them stops."""
import torch


def is_large_card():
    return "3090" in torch.cuda.get_device_name(0)


def memory_is_right(least=20):
    memory = torch.cuda.get_device_properties(0).total_memory / 1024**3
    return memory >= least
