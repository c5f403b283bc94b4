import contextlib
import functools
import gc

import torch


def force_cleanup():
    gc.collect()
    torch.cuda.empty_cache()


@contextlib.contextmanager
def careful():
    try:
        yield torch.device("cuda:0")
    finally:
        force_cleanup()


@contextlib.contextmanager
def careless():
    yield torch.device("cuda:0")  # ~ cleanup-not-guaranteed warning
    force_cleanup()


@contextlib.contextmanager
def careful_inside():
    with careful() as device:
        yield device


class Session:
    def __init__(self, name):
        self.name = name

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        force_cleanup()
        return False


class Timer:
    def __enter__(self):
        return self

    def __exit__(self, *exception):
        return False


class Decorating(contextlib.ContextDecorator):
    def __enter__(self):
        return self

    def __exit__(self, *exception):
        force_cleanup()


class Manager:
    @contextlib.contextmanager
    def context(self, name):
        before = torch.cuda.memory_allocated()
        try:
            yield before
        except RuntimeError:
            print("failed", name)
            raise
        finally:
            self.clean()

    def clean(self):
        force_cleanup()


manager = Manager()


def cleaned(name=None):
    def decorator(function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            with manager.context(name or function.__name__):
                return function(*args, **kwargs)

        return wrapper

    return decorator


def measured(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        before = torch.cuda.memory_allocated()
        result = function(*args, **kwargs)
        force_cleanup()
        print(torch.cuda.memory_allocated() - before)
        return result

    return wrapper
