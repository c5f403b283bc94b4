class TTS:
    def __init__(self, name, gpu=False):
        self.name = name

    def to(self, channel):
        return self
