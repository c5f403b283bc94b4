"""Context managers and what they do at their end."""

import contextlib
from contextlib import contextmanager

import torch


@contextmanager
def without():
    yield torch.device("cuda")  # ~ cleanup-not-guaranteed warning
    torch.cuda.empty_cache()


@contextmanager
def only_on_success():
    try:
        yield  # ~ cleanup-not-guaranteed warning
    except RuntimeError:
        print("failed")
        raise
    else:
        torch.cuda.empty_cache()


@contextmanager
def with_finally():
    try:
        yield
    finally:
        torch.cuda.empty_cache()
    torch.cuda.empty_cache()


@contextmanager
def by_a_stack():
    with contextlib.ExitStack() as stack:
        stack.callback(torch.cuda.empty_cache)
        yield


@contextmanager
def figures():
    torch.cuda.reset_peak_memory_stats()
    yield
    print(torch.cuda.max_memory_allocated())


@contextmanager
def before_it():
    torch.cuda.empty_cache()
    yield


@contextmanager
def swallows():
    try:
        yield
    except (KeyboardInterrupt, Exception) as error:  # ~ context-swallows-exception warning
        print("ignored", error)
    finally:
        torch.cuda.empty_cache()


@contextmanager
def swallows_but_for_debugging(debug):
    try:
        yield
    except Exception:  # ~ context-swallows-exception warning
        if debug:
            raise


@contextmanager
def turns_it_into_another():
    try:
        yield
    except Exception as error:
        raise RuntimeError("on the GPU") from error


@contextmanager
def inside_it(model):
    try:
        model.cuda()
    except Exception:
        print("no GPU")
    yield model


def plain_generator(loader):
    for batch in loader:
        try:
            yield batch
        except Exception:
            pass
    torch.cuda.empty_cache()
