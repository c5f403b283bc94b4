import os
class Bus:
    def __init__(self):
        self.handlers = [lambda: os.environ.update(CUDA_VISIBLE_DEVICES="1")]
    def fire(self):
        for handler in reversed(self.handlers):
            handler()
Bus().fire()
