CUDA_VISIBLE_DEVICES=1 nohup python -u train.py > log.txt 2>&1 &  # ~ missing-device-order warning
