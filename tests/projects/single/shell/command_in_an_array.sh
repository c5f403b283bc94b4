cmd=(python train.py --epochs 3)
CUDA_VISIBLE_DEVICES=1 "${cmd[@]}"  # ~ missing-device-order warning
