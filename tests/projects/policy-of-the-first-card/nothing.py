import torch  # ~ missing-visible-devices error, missing-device-order error

print(torch.__version__)
