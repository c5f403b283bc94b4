import torch
from simulated_driver import DriverError, Pool, count, free_and_total

_initialized = False
_pool = Pool()
current_stream = 0
workspaces = {}


def is_initialized():
    return _initialized


def init():
    global _initialized
    if not _initialized:
        try:
            count()
        except DriverError as error:
            raise RuntimeError(str(error)) from None
        _initialized = True


def is_available():
    try:
        return count() > 0
    except DriverError:
        return False


def device_count():
    return count()


def allocate(ordinal, size):
    init()
    try:
        return _pool.allocate(ordinal, size)
    except MemoryError:
        raise torch.OutOfMemoryError("CUDA out of memory") from None


def release(ordinal, size):
    _pool.release(ordinal, size)


def workspace(ordinal):
    """As cuBLAS does: one for each stream, when it is first used there."""
    if (ordinal, current_stream) not in workspaces:
        workspaces[ordinal, current_stream] = torch.Tensor((2129920,), "cuda:%d" % ordinal)._storage


def synchronize():
    init()


def empty_cache():
    if _initialized:
        for ordinal in list(_pool.blocks):
            _pool.trim(ordinal)


def memory_stats_as_nested_dict(ordinal=0):
    """As large as that of torch 2.15, which has 13 statistics in three pools with four numbers each, and eight numbers more."""
    if not _initialized:
        return {}

    def statistic(current=0, taken=0):
        numbers = {"current": current, "peak": 0, "allocated": taken, "freed": 0}
        return {"all": numbers, "small_pool": dict(numbers), "large_pool": dict(numbers)}

    names = ("segment", "active", "requested_bytes", "active_bytes", "inactive_split", "inactive_split_bytes", "a", "b", "c", "d")
    told = {name: statistic() for name in names}
    told["allocated_bytes"] = statistic(_pool.in_use.get(ordinal, 0))
    told["reserved_bytes"] = statistic(_pool.held(ordinal))
    told["allocation"] = statistic(0, _pool.taken.get(ordinal, 0))
    told.update({name: 0 for name in ("num_ooms", "num_alloc_retries", "max_split_size", "e", "f", "g", "h", "i")})
    return told


def memory_allocated(ordinal=0):
    return _pool.in_use.get(ordinal, 0)


def mem_get_info(ordinal=0):
    init()
    return free_and_total(ordinal)


def reset_peak_memory_stats(ordinal=0):
    init()


class memory:
    _recorded = None

    @staticmethod
    def _record_memory_history():
        memory._recorded = []

    @staticmethod
    def _dump_snapshot(file):
        with open(file, "w", encoding="utf-8") as snapshot:
            snapshot.write("recorded" if memory._recorded is not None else "nothing was recorded")
