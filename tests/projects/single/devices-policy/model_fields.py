from typing import NamedTuple

from pydantic import BaseModel


class Request(BaseModel):
    text: str
    device: str = "cuda:1"  # ~ device-not-allowed error


class Choice(NamedTuple):
    name: str
    device: str = "cuda:1"  # ~ device-not-allowed error


if __name__ == "__main__":
    print(Request, Choice)
