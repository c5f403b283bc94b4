#!/bin/bash
mpirun -np 2 --allow-run-as-root --bind-to none -map-by slot \
  -x LD_LIBRARY_PATH -mca pml ob1 -mca btl ^openib \
  -x CUDA_VISIBLE_DEVICES=0,1 \
  python3 train.py
# ~^^ missing-device-order warning
