from strategy import run
