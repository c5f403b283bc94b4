sbatch --gres=gpu:1 --wrap="python train.py"
