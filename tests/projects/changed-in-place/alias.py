"""A dictionary is changed under another name before it goes into the environment."""

import os

env = {"CUDA_DEVICE_ORDER": "PCI_BUS_ID", "CUDA_VISIBLE_DEVICES": "0"}
alias = env
alias["CUDA_VISIBLE_DEVICES"] = "1"
os.environ.update(env)

import torch

torch.zeros(1, device="cuda:1")  # ~ device-outside-mask error
