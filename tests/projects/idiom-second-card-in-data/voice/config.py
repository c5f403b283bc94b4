"""Settings; each of these names the card that nobody may use."""
from dataclasses import dataclass, field

DEFAULTS = {
    "rate": 22050,
    "tts_device": "cuda:1",  # ~ device-outside-mask error
    "models": {"device": "cuda:1"},  # ~ device-outside-mask error
}


@dataclass
class Settings:
    voice: str = "anna"
    device: str = "cuda:1"  # ~ device-outside-mask error
    vad_device: str = field(default="cuda:1")  # ~ device-outside-mask error
