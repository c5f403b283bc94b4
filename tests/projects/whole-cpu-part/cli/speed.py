from core import api


def speed():
    return api.fast()
