def run():
    from core.gpu import kernels

    return kernels.scale()
