#!/bin/bash
docker run --rm --gpus '"device=1"' -e CUDA_VISIBLE_DEVICES=1 -e CUDA_DEVICE_ORDER=PCI_BUS_ID trainer  # ~ double-device-remap error
# GPU 1 only
docker run --rm --gpus 1 trainer  # ~ gpu-count-as-index note
