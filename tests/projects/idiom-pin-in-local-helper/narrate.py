"""Narrates a text; the helper has the name of the one that chooses the card elsewhere."""
from speech.paths import _setup

_ROOT = _setup()

import torch  # ~ missing-visible-devices error, missing-device-order error

from speech.model import Narrator


def main():
    model = Narrator().to("cuda:0")
    print(_ROOT, model(torch.zeros(1, 80, device="cuda:0")).shape)


if __name__ == "__main__":
    main()
