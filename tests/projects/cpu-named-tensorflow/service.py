import torch
import tensorflow as tf  # ~ gpu-import-in-cpu-mode error
