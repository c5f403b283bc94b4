"""Exports the model; a helper of the project chooses the card, through another function."""
from speech import cards
from speech.paths import _setup


def prepare():
    return _setup(), cards.choose_card()


_ROOT, _CARD = prepare()

import torch

from speech.model import Narrator

if __name__ == "__main__":
    torch.save(Narrator().cuda().state_dict(), _ROOT / "narrator.pt")
