import torch  # ~ missing-device-order warning
