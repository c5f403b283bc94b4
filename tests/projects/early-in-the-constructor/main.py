from engine import Engine

Engine(gpu="0").start()
