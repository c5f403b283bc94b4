from dataclasses import dataclass, field


@dataclass
class Settings:
    device: str = "cuda:1"  # ~ device-not-allowed note
    fallback_device: str = field(default="cuda:1")  # ~ device-not-allowed note
    sample_rate: int = 16000


class Engine:
    def __init__(self, model, device="cuda:1"):  # ~ device-not-allowed note
        self.model = model
        self.device = device


def load(options):
    return options.get("device", "cuda:1")  # ~ device-not-allowed note


OPTIONS = {"model": "large", "device": "cuda:1"}  # ~ device-not-allowed note
RIGHT = {"model": "large", "device": "cuda:0"}
