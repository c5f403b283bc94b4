#!/bin/bash
set -e
export CUDA_DEVICE_ORDER=PCI_BUS_ID
CUDA_VISIBLE_DEVICES=2,0,1 python train.py
CUDA_VISIBLE_DEVICES=0,1 python train.py
CUDA_VISIBLE_DEVICES=0 python train.py
