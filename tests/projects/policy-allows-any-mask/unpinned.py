import torch  # ~ missing-visible-devices error

print(torch.__version__)
