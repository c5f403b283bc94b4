from .kernels import fast_mean
