#!/bin/sh
export CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=0
env -u CUDA_VISIBLE_DEVICES nvidia-smi
python train.py
