from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch
else:
    import cupy  # ~ gpu-import-in-cpu-mode error

if not TYPE_CHECKING:
    import torch  # ~ gpu-import-in-cpu-mode error
