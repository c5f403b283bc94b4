__lazy_modules__ = ["torch"]
import torch  # ~ gpu-import-in-cpu-mode error
