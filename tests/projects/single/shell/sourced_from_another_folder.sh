. scripts/env.sh
python train.py
