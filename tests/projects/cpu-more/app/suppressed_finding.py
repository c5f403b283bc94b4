import torch  # gpulint: ignore[gpu-import-in-cpu-mode] measured, needed
