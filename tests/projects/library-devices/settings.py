from dataclasses import dataclass, field


@dataclass
class Settings:
    device: str = "cuda:1"
    fallback_device: str = field(default="cuda:1")
    sample_rate: int = 16000


class Engine:
    def __init__(self, model, device="cuda:1"):
        self.model = model
        self.device = device


def load(options):
    return options.get("device", "cuda:1")


OPTIONS = {"model": "large", "device": "cuda:1"}
RIGHT = {"model": "large", "device": "cuda:0"}
