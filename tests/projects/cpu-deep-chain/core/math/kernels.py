def scale(value):
    return value * 2
