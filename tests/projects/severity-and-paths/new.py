import torch  # ~ missing-visible-devices error, missing-device-order warning
