import os
import signal


def choose(number, frame):
    os.environ["RELOADED"] = "1"


signal.signal(signal.SIGUSR1, choose)
