from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import diffusers

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "0"

import torch


def run(pipeline: diffusers.DiffusionPipeline) -> None:
    pipeline.to("cuda")


torch.cuda.init()
