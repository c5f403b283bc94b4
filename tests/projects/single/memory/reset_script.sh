#!/bin/bash
# nvidia-smi --gpu-reset would be too much
echo "nvidia-smi --gpu-reset"
export CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=0
for attempt in 1 2 3; do
  python train.py && break
  nvidia-smi --gpu-reset -i 0  # ~ gpu-reset-as-recovery warning
done
nvidia-smi -q -d MEMORY
