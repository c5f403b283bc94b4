from dataclasses import dataclass


@dataclass
class Settings:
    stt_device: str = "cuda:0"
    tts_device: str = "cuda:1"
    input_device: int = 1
    output_device: int = 2
    sample_rate: int = 24000
