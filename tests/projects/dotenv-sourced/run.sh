#!/bin/bash
export CUDA_DEVICE_ORDER=PCI_BUS_ID
set -a
source .env
set +a
python train.py
