current = 0


class Device:
    def __init__(self, ordinal=0):
        self.id = ordinal

    def __enter__(self):
        global current
        self._before, current = current, self.id
        return self

    def __exit__(self, *_):
        global current
        current = self._before

    def synchronize(self):
        pass


def get_allocator():
    import cupy

    return cupy._default.malloc
