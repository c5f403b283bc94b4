from engine import Engine

Engine(gpu="1").start()
