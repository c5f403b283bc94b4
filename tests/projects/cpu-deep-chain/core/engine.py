from core.math.kernels import scale


def run():
    return scale(1)
