import contextlib
import gc

import torch


@contextlib.contextmanager
def quiet(log):
    try:
        yield
    except Exception:
        log.exception("failed")
        raise


def free():
    gc.collect()
    torch.cuda.empty_cache()


def epoch(model, loader, optimizer, criterion):
    running, total = 0.0, 0
    for inputs, targets in loader:
        optimizer.zero_grad()
        loss = criterion(model(inputs), targets)
        aux = model.penalty()
        total = loss + aux
        total.backward()
        optimizer.step()
        running += loss.item()
    return running


def run(model, batch):
    failed = False
    try:
        return model(batch)
    except torch.cuda.OutOfMemoryError:
        failed = True
    if failed:
        torch.cuda.empty_cache()
        return model(batch[: len(batch) // 2])
