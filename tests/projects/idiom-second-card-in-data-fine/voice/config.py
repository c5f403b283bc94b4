"""Settings. The card is cuda:0; cuda:1 is not there when one card is visible."""
from dataclasses import dataclass

DEFAULTS = {
    "rate": 22050,
    "tts_device": "cuda:0",
    "input_device": 1,
    "help": "never write cuda:1 here",
    "devices_seen": ["cuda:0", "cuda:1"],
}


@dataclass
class Settings:
    voice: str = "anna"
    device: str = "cuda"
    note: str = "was cuda:1 once"
