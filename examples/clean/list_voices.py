"""Lists the exported voices; looks into them only when asked to: python list_voices.py --check"""

import argparse
import os
import pathlib


def check(voice):
    """Loads one voice on the GPU. Listing alone needs neither torch nor a card."""
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    os.environ["CUDA_VISIBLE_DEVICES"] = "1"
    import torch

    torch.jit.load(str(voice), map_location="cuda:0")
    return "loads"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    for voice in sorted(pathlib.Path("exports").glob("*.pt")):
        print(voice.name, check(voice) if arguments.check else "")


if __name__ == "__main__":
    main()
