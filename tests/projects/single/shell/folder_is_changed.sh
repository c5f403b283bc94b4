export CUDA_VISIBLE_DEVICES=1  # ~ missing-device-order warning
cd scripts && python ../train.py
