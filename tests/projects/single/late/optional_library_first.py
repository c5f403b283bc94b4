import os

try:
    import cupy

    HAS_GPU = cupy.cuda.runtime.getDeviceCount() > 0
except ImportError:  # ~ gpu-import-guard-too-narrow note
    HAS_GPU = False

os.environ["CUDA_VISIBLE_DEVICES"] = "0"  # ~ pin-after-cuda-init error
