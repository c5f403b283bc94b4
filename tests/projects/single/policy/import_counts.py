import sys

import torch  # ~ missing-visible-devices error, missing-device-order error

print(torch.__version__, sys.version)
