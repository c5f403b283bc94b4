#!/bin/bash
#SBATCH --job-name=train
#SBATCH --gres=gpu:1
srun python train.py
