import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "1"

import sounddevice

from voice.config import DEFAULTS, Settings
from voice.engine import load
from voice.rewriter import checked, parsed, rewritten

if __name__ == "__main__":
    sounddevice.play([0.0], 16000, device=1)
    print(Settings().voice, DEFAULTS["rate"], rewritten("cuda:1"), checked("cuda:0"))
    load({"voice": parsed().device})
