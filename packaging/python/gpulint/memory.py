"""How much GPU memory this process holds, by each allocator that it uses, and how much the card has in use.

Only frameworks that the program has imported are asked, and none is asked a question that would initialise CUDA.
"""

import gc
import os
import sys
import time

from gpulint.driver import Cuda, Nvml

# What torch and CuPy round an allocation up to; nothing smaller is ever seen.
SMALLEST = 512
# What a driver hands out at once, measured on an H100 (docs/hardware.md).
BLOCK = 2 << 20


class Reading:
    """in_use, held: bytes by (framework, ordinal): of what lives, and with what the allocator keeps for later. used: bytes by card."""

    __slots__ = ("in_use", "held", "used")

    def __init__(self):
        self.in_use, self.held, self.used = {}, {}, {}

    def minus(self, other):
        """Growth of each kind, with 0 where nothing was before; of cards only where both tell."""
        grown = Reading()
        for name in ("in_use", "held"):
            mine, before = getattr(self, name), getattr(other, name)
            setattr(grown, name, {key: mine.get(key, 0) - before.get(key, 0) for key in {**before, **mine}})
        grown.used = {card: used - other.used[card] for card, used in self.used.items() if card in other.used}
        return grown

    def add(self, other, sign=1):
        for name in ("in_use", "held", "used"):
            mine = getattr(self, name)
            for key, value in getattr(other, name).items():
                mine[key] = mine.get(key, 0) + sign * value


def _torch(cuda, reading):
    torch = sys.modules.get("torch")
    api = getattr(torch, "cuda", None)
    if api is None or not api.is_initialized():
        return
    for ordinal in range(api.device_count()):
        # Not memory_allocated: it makes a flat copy of all statistics, which takes five times as long.
        statistics = api.memory_stats_as_nested_dict(ordinal)
        if statistics:
            reading.in_use["torch", ordinal] = statistics["allocated_bytes"]["all"]["current"]
            reading.held["torch", ordinal] = statistics["reserved_bytes"]["all"]["current"]


def _cupy(cuda, reading):
    cupy = sys.modules.get("cupy")
    # A question to a pool calls cuInit, so it waits until somebody else has.
    if not hasattr(cupy, "get_default_memory_pool") or not cuda.initialised():
        return
    ordinals = cuda.in_use()
    if not ordinals:
        return
    pools = [cupy.get_default_memory_pool()]
    own = getattr(cupy.cuda.get_allocator(), "__self__", None)
    if own is not None and own is not pools[0] and hasattr(own, "used_bytes"):
        pools.append(own)
    for ordinal in ordinals:
        with cupy.cuda.Device(ordinal):
            reading.in_use["cupy", ordinal] = sum(pool.used_bytes() for pool in pools)
            reading.held["cupy", ordinal] = sum(pool.total_bytes() for pool in pools)


def _jax(cuda, reading):
    # Asking for devices would make the backends.
    bridge = sys.modules.get("jax._src.xla_bridge")
    jax = sys.modules.get("jax")
    if jax is None or not getattr(bridge, "_backends", None):
        return
    for device in jax.local_devices():
        statistics = device.memory_stats() if device.platform in ("gpu", "cuda", "rocm") else None
        if statistics and "bytes_in_use" in statistics:
            ordinal = getattr(device, "local_hardware_id", None)
            key = "jax", device.id if ordinal is None else ordinal
            reading.in_use[key] = statistics["bytes_in_use"]
            if "pool_bytes" in statistics:
                reading.held[key] = statistics["pool_bytes"]


def tensorflow_gpus():
    """(module, GPU names) of TensorFlow once it has opened the GPUs; (None, []) before, as any question would open them."""
    context = getattr(sys.modules.get("tensorflow.python.eager.context"), "context_safe", lambda: None)()
    tensorflow = sys.modules.get("tensorflow")
    if not getattr(context, "_initialized", False) or not hasattr(tensorflow, "config"):
        return None, []
    return tensorflow, ["GPU:%d" % ordinal for ordinal in range(len(tensorflow.config.list_logical_devices("GPU")))]


def _tensorflow(cuda, reading):
    tensorflow, names = tensorflow_gpus()
    for ordinal, name in enumerate(names):
        reading.in_use["tensorflow", ordinal] = tensorflow.config.experimental.get_memory_info(name)["current"]


class Meter:
    """Reads. `cannot` holds, by framework, why it could not be read the last time."""

    FRAMEWORKS = (("torch", _torch), ("cupy", _cupy), ("jax", _jax), ("tensorflow", _tensorflow))

    def __init__(self, driver=True):
        self.cuda, self.cannot, self._driver, self._nvml = Cuda(), {}, driver, None

    @property
    def nvml(self):
        if self._nvml is None:
            self._nvml = Nvml()
        return self._nvml

    def read(self):
        reading = Reading()
        for name, read in self.FRAMEWORKS:
            if name in sys.modules:
                try:
                    read(self.cuda, reading)
                except Exception as error:  # A framework of another version, or a card in trouble: said, and no test fails of it.
                    self.cannot[name] = "%s: %s" % (type(error).__name__, error)
        if self._driver:
            for ordinal in self.cuda.in_use():
                uuid = self.cuda.uuid(ordinal)
                used = self.nvml.used(uuid)
                if used is not None:
                    reading.used[uuid] = used
        return reading

    def settled(self):
        """What is held when nothing is left to do: garbage collected, work on the GPU done, caches that are meant to be lost emptied."""
        gc.collect()
        gc.collect()
        for name, settle in (("torch", _settle_torch), ("cupy", _settle_cupy)):
            if name in sys.modules and self.cuda_was_used(name):
                try:
                    settle(self.cuda)
                except Exception as error:
                    self.cannot[name] = "%s: %s" % (type(error).__name__, error)
        readings = [self.read()]
        # Memory that another thread or stream is about to free is free soon.
        for _ in range(2):
            time.sleep(0.005)
            readings.append(self.read())
        return _least(readings)

    def cuda_was_used(self, name):
        if name == "torch":
            api = getattr(sys.modules["torch"], "cuda", None)
            return api is not None and api.is_initialized()
        return bool(self.cuda.in_use())

    def cuda_was_used_by_torch(self):
        return "torch" in sys.modules and self.cuda_was_used("torch")

    def own(self, uuid):
        """Bytes that this process has on a card as its driver tells; "alone" if it tells none and nobody else is there; None if it is not known."""
        processes = self.nvml.processes(uuid)
        if not processes:
            return None
        if processes.get(os.getpid()) is not None:
            return processes[os.getpid()]
        return "alone" if len(processes) == 1 else None


def _least(readings):
    least = readings[0]
    for reading in readings[1:]:
        for name in ("in_use", "held", "used"):
            mine = getattr(least, name)
            for key, value in getattr(reading, name).items():
                mine[key] = min(mine.get(key, value), value)
    return least


def _settle_torch(cuda):
    torch = sys.modules["torch"]
    # cuBLAS has a workspace for each stream that it was used on, and torch keeps them.
    clear = getattr(getattr(torch, "_C", None), "_cuda_clearCublasWorkspaces", None)
    if clear:
        clear()
    torch.cuda.synchronize()
    torch.cuda.empty_cache()


def _settle_cupy(cuda):
    cupy = sys.modules["cupy"]
    # Plans hold memory of the GPU.
    plans = getattr(getattr(getattr(cupy, "fft", None), "config", None), "get_plan_cache", None)
    if plans:
        plans().clear()
    for ordinal in cuda.in_use():
        with cupy.cuda.Device(ordinal) as device:
            device.synchronize()
            cupy.get_default_memory_pool().free_all_blocks()
