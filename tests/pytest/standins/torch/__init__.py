"""A stand-in for torch: tensors that hold memory of a simulated card, and nothing that computes."""

__version__ = "2.15.0+standin"


class OutOfMemoryError(RuntimeError):
    pass


from torch import _C, cuda  # noqa: E402


class _Storage:
    def __init__(self, ordinal, size):
        self.ordinal, self._size = ordinal, size
        self.address, self.taken = cuda.allocate(ordinal, size)

    def __del__(self):
        # At the end of Python there is no module any more.
        if hasattr(self, "taken") and cuda is not None:
            cuda.release(self.ordinal, self.taken)

    def nbytes(self):
        return self._size

    def data_ptr(self):
        return self.address


class device:
    def __init__(self, text):
        self.type, _, number = str(text).partition(":")
        self.index = int(number or 0) if self.type == "cuda" else None

    def __str__(self):
        return self.type if self.index is None else "%s:%d" % (self.type, self.index)


class Tensor:
    dtype, is_leaf = "torch.float32", True

    def __init__(self, shape, where, storage=None):
        self.shape, self.device, self.grad = tuple(shape), device(where), None
        self.is_cuda = self.device.type == "cuda"
        size = 4
        for length in self.shape:
            size *= length
        self._storage = storage or (_Storage(self.device.index, size) if self.is_cuda else None)

    def untyped_storage(self):
        return self._storage

    def view(self, *shape):
        return Tensor(shape, self.device, self._storage)

    def cpu(self):
        return Tensor(self.shape, "cpu")

    def __matmul__(self, other):
        cuda.workspace(self.device.index)
        return Tensor((self.shape[0], other.shape[1]), self.device)


def zeros(*shape, device="cpu"):
    return Tensor(shape, device)
