import torch  # ~ missing-visible-devices error, missing-device-order warning
print(torch.__version__)
