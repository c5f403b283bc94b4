"""Windows and moving averages."""

import numpy as np


def hann(size):
    return np.hanning(size).astype(np.float32)


def moving_average(samples, width):
    """The mean of `width` neighbouring samples, as many values as there are samples."""
    return np.convolve(samples, np.full(width, 1 / width, dtype=np.float32), mode="same").astype(np.float32)
