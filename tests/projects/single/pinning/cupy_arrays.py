import cupy as cp
import numpy as np

host = np.arange(10)
device = cp.asarray(host)  # ~ missing-visible-devices warning
print(cp.asnumpy(device))
