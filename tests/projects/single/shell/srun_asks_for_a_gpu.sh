srun --gres=gpu:1 --pty python train.py
