import torch


class Manager:
    def __init__(self):
        self.device = self._detect()

    def _detect(self):
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")


manager = Manager()  # ~ gpu-object-at-import warning
