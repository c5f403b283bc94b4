from omegaconf import OmegaConf
from pydantic import BaseModel, Field


class Settings(BaseModel):
    device: str = Field("cuda:1", description="the card")
    batch: int = 1


config = OmegaConf.create({"model": {"device": "cuda:1"}, "index": 1})
print(Settings(), config)
