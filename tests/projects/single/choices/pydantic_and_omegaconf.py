from omegaconf import OmegaConf
from pydantic import BaseModel, Field


class Settings(BaseModel):
    device: str = Field("cuda:1", description="the card")  # ~ device-not-allowed warning
    batch: int = 1


config = OmegaConf.create({"model": {"device": "cuda:1"}, "index": 1})  # ~ device-not-allowed warning
print(Settings(), config)
