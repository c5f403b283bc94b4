from devices import best


def listen(path, device=best()):  # ~ cuda-call-in-default-argument note
    return path, device
