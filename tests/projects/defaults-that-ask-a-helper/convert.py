from devices import best


def convert(path, device=best()):  # ~ cuda-call-in-default-argument warning
    return path, device


def compare(one, other, device=best()):  # ~ cuda-call-in-default-argument note
    return one, other, device
