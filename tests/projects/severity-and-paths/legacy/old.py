import torch  # ~ missing-device-order warning
print(torch.__version__)
