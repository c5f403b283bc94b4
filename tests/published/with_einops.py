"""Rearranges an array of NumPy. einops works on torch's tensors too, and is to leave torch alone here."""

import numpy
from einops import rearrange

print(rearrange(numpy.zeros((2, 3, 4)), "a b c -> (a b) c").shape)
