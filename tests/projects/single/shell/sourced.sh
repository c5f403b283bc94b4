. ./env.sh
python train.py
