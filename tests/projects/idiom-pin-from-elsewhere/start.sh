#!/usr/bin/env bash
CUDA_VISIBLE_DEVICES=1  # ~ gpu-env-not-exported warning
python started.py
