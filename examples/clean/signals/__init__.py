"""Small signal filters that run with NumPy alone."""

from .resample import every_nth
from .windows import hann, moving_average

__all__ = ["every_nth", "hann", "moving_average", "power_spectrum_gpu"]


def __getattr__(name):
    # Looked up on first use, so that `import signals` does not import CuPy.
    if name == "power_spectrum_gpu":
        from .gpu import power_spectrum_gpu

        return power_spectrum_gpu
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
