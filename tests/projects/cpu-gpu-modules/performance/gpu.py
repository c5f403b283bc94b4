import cupy as cp
import torch


def to_gpu(values):
    return cp.asarray(values)
