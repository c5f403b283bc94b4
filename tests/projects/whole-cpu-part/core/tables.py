try:
    import numpy
except ImportError:
    numpy = None


def table(rows):
    return list(rows)
