import b


def f():
    return b
