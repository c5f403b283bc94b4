import os

os.environ.update(CUDA_DEVICE_ORDER="PCI_BUS_ID", CUDA_VISIBLE_DEVICES="0")

import contextlib
import gc

import torch


@contextlib.contextmanager
def quiet():
    try:
        yield
    except Exception:  # ~ context-swallows-exception warning
        pass


def free():
    torch.cuda.empty_cache()  # ~ empty-cache-before-collect warning
    gc.collect()


def epoch(model, loader, optimizer, criterion):
    running = 0
    for inputs, targets in loader:
        optimizer.zero_grad()
        loss = criterion(model(inputs.cuda()), targets.cuda())
        loss.backward()
        optimizer.step()
        running = running + loss  # ~ loss-keeps-graph warning
    return running


def run(model, batch):
    try:
        return model(batch)
    except torch.cuda.OutOfMemoryError:
        torch.cuda.empty_cache()
        return model(batch[: len(batch) // 2])  # ~ retry-inside-oom-handler warning


if __name__ == "__main__":
    if torch.cuda.is_available:  # ~ availability-check-not-called error
        print(torch.cuda.max_memory_cached())  # ~ deprecated-memory-api warning
