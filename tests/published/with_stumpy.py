"""A matrix profile on the CPU. STUMPY imports `numba.cuda` when it is imported, to see whether there is a GPU."""

import numpy
import stumpy

print(stumpy.stump(numpy.random.default_rng(0).random(60), m=8).shape)
