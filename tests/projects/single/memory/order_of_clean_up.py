"""Clean-ups in the order that works, and in others."""

import gc
import time
from gc import collect as collect_garbage

import torch
import torch.cuda as cuda
from torch.cuda import empty_cache


class Service:
    def unload(self):
        self.model = None
        torch.cuda.empty_cache()  # ~ empty-cache-before-collect warning
        time.sleep(1)
        collected = gc.collect()
        print(collected)

    def unload_well(self):
        del self.model
        gc.collect()
        if torch.cuda.is_available():
            torch.cuda.empty_cache()
            torch.cuda.ipc_collect()

    def unload_on_one_branch(self, fast):
        if fast:
            cuda.empty_cache()  # ~ empty-cache-before-collect warning
            del self.model
        else:
            del self.model
            cuda.empty_cache()

    async def unload_and_wait(self):
        try:
            await self.stop()
        finally:
            empty_cache()  # ~ empty-cache-before-collect warning
            for _ in range(3):
                collect_garbage()


def clear():
    torch.cuda.empty_cache()


def through_a_helper(model):
    clear()  # ~ empty-cache-before-collect warning
    del model
    gc.collect()


def through_a_helper_well(model):
    del model
    gc.collect()
    clear()


def new_work_begins(path):
    torch.cuda.empty_cache()
    model = torch.load(path, map_location="cpu")
    del model
    gc.collect()


def both_sides(model):
    gc.collect()
    torch.cuda.empty_cache()
    gc.collect()


def the_last_counts(model, cache):
    torch.cuda.empty_cache()
    del model
    gc.collect()
    torch.cuda.empty_cache()
    cache.clear()


def another_function():
    torch.cuda.empty_cache()

    def later():
        gc.collect()

    return later


def collector_settings():
    torch.cuda.empty_cache()
    gc.disable()
    gc.enable()


def text():
    print("torch.cuda.empty_cache()")
    gc.collect()
