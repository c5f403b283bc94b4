import utils

utils.bootstrap()

from engine import Engine

Engine().start()
