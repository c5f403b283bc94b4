"""Small signal filters that run with NumPy alone."""

from .gpu import power_spectrum_gpu
from .resample import every_nth
from .windows import hann, moving_average

__all__ = ["every_nth", "hann", "moving_average", "power_spectrum_gpu"]
