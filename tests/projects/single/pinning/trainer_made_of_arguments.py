import argparse

from pytorch_lightning import Trainer

parser = argparse.ArgumentParser()
parser.add_argument("--accelerator", default="cpu")
args = parser.parse_args()

Trainer(accelerator=args.accelerator).test(None)  # ~ missing-visible-devices warning
Trainer(accelerator="gpu").fit(None)
