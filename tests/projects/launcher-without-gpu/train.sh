#!/bin/bash
# Trains on the policy's card.
export CUDA_VISIBLE_DEVICES=1  # ~ missing-device-order error
python train.py
