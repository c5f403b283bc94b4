#!/bin/bash
set -e
export CUDA_DEVICE_ORDER=PCI_BUS_ID
CUDA_VISIBLE_DEVICES=1 make -j 4 all
make bench GPU=1
make clean
