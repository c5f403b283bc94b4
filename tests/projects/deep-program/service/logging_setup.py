import logging


def configure(level):
    logging.basicConfig(level=level)
