#!/bin/bash
#SBATCH --export=ALL,CUDA_VISIBLE_DEVICES=1  # ~ missing-device-order note
python train.py
