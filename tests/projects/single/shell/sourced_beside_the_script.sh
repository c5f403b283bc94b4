source "$(dirname "$0")/env.sh"
python train.py
