from weights import restore


def test_first(path):  # ~ gpu-test-without-cleanup note
    restore(path, 1)  # ~ missing-visible-devices warning
    restore(path, 2)
    # Other shards of the same file; nothing new happens to the GPU.
    restore(path, 3)
    restore(path, 4)


def test_second(path):  # ~ gpu-test-without-cleanup note
    # Here it does: this test answers for its own memory.
    restore(path, 4)
