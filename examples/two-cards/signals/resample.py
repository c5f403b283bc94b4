"""Resampling. Takes NumPy arrays, or CuPy arrays when the caller asks for the GPU."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import cupy


def every_nth(samples: np.ndarray, n: int, on_gpu: bool = False) -> np.ndarray | cupy.ndarray:
    """Keeps every n-th sample."""
    if on_gpu:
        import cupy

        return cupy.asarray(samples)[::n]
    return samples[::n]
