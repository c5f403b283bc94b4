export CUDA_VISIBLE_DEVICES=1  # ~ missing-device-order warning
ls *.json | xargs -n 1 -P 2 python train.py --config
