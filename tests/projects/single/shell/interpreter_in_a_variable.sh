PYTHON=${PYTHON:-python3}
CUDA_VISIBLE_DEVICES=1 "$PYTHON" train.py  # ~ missing-device-order warning
