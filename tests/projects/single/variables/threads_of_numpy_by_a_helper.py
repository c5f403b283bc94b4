import os

import numpy as np


def limit(threads):
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ[name] = str(threads)  # ~ blas-threads-too-late warning


limit(1)
print(np.ones(3))
