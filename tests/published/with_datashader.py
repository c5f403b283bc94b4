"""Counts points with Datashader, which imports CuPy and `numba.cuda` when it is imported, where they are installed."""

import datashader
import numpy
import pandas

frame = pandas.DataFrame({"x": numpy.arange(50.0), "y": numpy.arange(50.0)})
print(datashader.Canvas(20, 20).points(frame, "x", "y").sum().item())
