"""A stand-in for JAX: arrays that hold memory, without a driver. Asking for devices makes the backends, as in JAX itself."""

from jax._src import xla_bridge

__version__ = "0.11.2+standin"
_arrays = []


class _Device:
    platform, id, local_hardware_id = "gpu", 0, 0

    def memory_stats(self):
        return {"bytes_in_use": sum(array.nbytes for array in live_arrays()), "pool_bytes": 1 << 30}

    def __str__(self):
        return "cuda:0"


_device = _Device()


class Array:
    dtype = "float32"

    def __init__(self, *shape):
        import weakref

        local_devices()
        self.shape, self.nbytes = shape, 4
        for length in shape:
            self.nbytes *= length
        _arrays.append(weakref.ref(self))

    def devices(self):
        return {_device}


def zeros(*shape):
    return Array(*shape)


def local_devices():
    xla_bridge._backends["cuda"] = _device
    return [_device]


def live_arrays():
    return [array for array in (reference() for reference in _arrays) if array is not None]
