from dataclasses import dataclass

LOG_LEVEL = "INFO"


@dataclass
class Settings:
    device: str = "cuda"
    batch: int = 8

    @classmethod
    def from_arguments(cls, arguments):
        settings = cls()
        for argument in arguments:
            if argument.startswith("--batch="):
                settings.batch = int(argument.split("=")[1])
        return settings
