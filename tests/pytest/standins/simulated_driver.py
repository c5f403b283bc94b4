"""CUDA's driver, as the stand-ins for frameworks call it: blocks of memory on the cards of a simulated host, or none without one."""

import ctypes

BLOCK = 2 << 20
_library = None


class DriverError(RuntimeError):
    pass


def library():
    """The driver, initialised."""
    global _library
    if _library is None:
        try:
            _library = ctypes.CDLL("libcuda.so.1")
        except OSError:
            raise DriverError("there is no driver") from None
        if _library.cuInit(0) != 0:
            _library = None
            raise DriverError("No CUDA GPUs are available")
    return _library


def count():
    number = ctypes.c_int(0)
    return number.value if library().cuDeviceGetCount(ctypes.byref(number)) == 0 else 0


_contexts = {}


def use(ordinal):
    """Makes the primary context of this GPU and takes it."""
    if ordinal not in _contexts:
        context = ctypes.c_void_p()
        if library().cuDevicePrimaryCtxRetain(ctypes.byref(context), ordinal) != 0:
            raise DriverError("no context")
        _contexts[ordinal] = context
    library().cuCtxSetCurrent(_contexts[ordinal])


def free_and_total(ordinal):
    use(ordinal)
    free, total = ctypes.c_size_t(0), ctypes.c_size_t(0)
    assert library().cuMemGetInfo_v2(ctypes.byref(free), ctypes.byref(total)) == 0
    return free.value, total.value


def take(ordinal, size):
    use(ordinal)
    address = ctypes.c_uint64(0)
    if library().cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(size)) != 0:
        raise MemoryError(size)
    return address.value


def give(ordinal, address):
    use(ordinal)
    library().cuMemFree_v2(ctypes.c_uint64(address))


class Pool:
    """An allocator that rounds up to 512 bytes and keeps blocks of the driver until it is told not to."""

    def __init__(self):
        self.in_use, self.blocks, self.free, self.taken, self._next = {}, {}, {}, {}, 1 << 40

    def allocate(self, ordinal, size):
        size = max(512, -(-size // 512) * 512)
        if self.in_use.get(ordinal, 0) + size > self.held(ordinal):
            missing = self.in_use.get(ordinal, 0) + size - self.held(ordinal)
            missing = -(-missing // BLOCK) * BLOCK
            self.blocks.setdefault(ordinal, []).append((take(ordinal, missing), missing))
        self.in_use[ordinal] = self.in_use.get(ordinal, 0) + size
        self.taken[ordinal] = self.taken.get(ordinal, 0) + 1
        self._next += size
        return self._next - size, size

    def release(self, ordinal, size):
        self.in_use[ordinal] -= size

    def held(self, ordinal):
        return sum(size for _, size in self.blocks.get(ordinal, []))

    def trim(self, ordinal):
        blocks = self.blocks.get(ordinal, [])
        while blocks and self.held(ordinal) - blocks[-1][1] >= self.in_use.get(ordinal, 0):
            give(ordinal, blocks.pop()[0])
