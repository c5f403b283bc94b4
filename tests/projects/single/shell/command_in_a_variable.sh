CMD="python train.py --epochs 3"
CUDA_VISIBLE_DEVICES=1 $CMD  # ~ missing-device-order warning
