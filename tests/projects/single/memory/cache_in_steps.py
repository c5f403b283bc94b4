"""The cache, emptied in loops."""

import torch
from tqdm import tqdm


def train(model, loader, optimizer):
    for step, batch in enumerate(tqdm(loader)):
        loss = model(batch)
        loss.backward()
        optimizer.step()
        if batch.device.type == "cuda":
            torch.cuda.empty_cache()  # ~ empty-cache-in-loop note


def train_now_and_then(model, loader, optimizer):
    for step, batch in enumerate(loader):
        if step % 50 != 0:
            continue
        model(batch).backward()
        torch.cuda.empty_cache()


def endless(model, source):
    while True:
        loss = model(next(source))
        loss.backward()
        del loss
        torch.cuda.empty_cache()  # ~ empty-cache-in-loop note


def by_memory(model, loader):
    for batch in loader:
        model(batch).backward()
        if torch.cuda.memory_reserved() > 2**33:
            torch.cuda.empty_cache()


def after_an_error(model, batches):
    for batch in batches:
        try:
            yield model(batch)
        except RuntimeError:
            torch.cuda.empty_cache()


def by_phase(model, loaders):
    for phase in ("train", "val"):
        for batch in loaders[phase]:
            model(batch)
        torch.cuda.empty_cache()


def by_fold(folds, train_one):
    for fold, loader in enumerate(folds):
        train_one(loader)
        torch.cuda.empty_cache()


def defined_in_a_loop(batches):
    hooks = []
    for batch in batches:
        def hook():
            torch.cuda.empty_cache()

        hooks.append(hook)
    return hooks
