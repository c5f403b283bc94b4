from core import dispatch


def fast():
    return dispatch.scale()
