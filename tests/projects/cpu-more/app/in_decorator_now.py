def accelerated(function):
    import cupy  # ~ gpu-import-in-cpu-mode error

    def wrapper(*args):
        return function(cupy, *args)

    return wrapper


@accelerated
def mean(xp, values):
    return xp.mean(values)
