import os

from . import constants


def bootstrap():
    for key, value in constants.ENV.items():
        os.environ[key] = value
