"""A stand-in for TensorFlow: tensors in a pool, and questions that open the GPUs as those of TensorFlow 2.21 do."""

import weakref

from tensorflow.python.eager import context

__version__ = "2.21.0+standin"
_bytes, _most = [0], [0]


def _given_back(size):
    _bytes[0] -= size


class _Tensor:
    def __init__(self, shape):
        context.open_gpus()
        size = 4
        for length in shape:
            size *= length
        _bytes[0] += size
        _most[0] = max(_most[0], _bytes[0])
        weakref.finalize(self, _given_back, size)


def zeros(shape):
    return _Tensor(shape)


class config:
    @staticmethod
    def list_logical_devices(kind):
        context.open_gpus()
        return ["/device:GPU:0"] if kind == "GPU" else []

    class experimental:
        @staticmethod
        def get_memory_info(name):
            context.open_gpus()
            if name != "GPU:0":
                raise ValueError("No matching devices found for '%s'" % name)
            return {"current": _bytes[0], "peak": _most[0]}

        @staticmethod
        def reset_memory_stats(name):
            context.open_gpus()
            _most[0] = _bytes[0]
