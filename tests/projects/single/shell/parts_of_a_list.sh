list=4,5,6
CUDA_VISIBLE_DEVICES=${list%%,*} python train.py  # ~ missing-device-order warning
CUDA_VISIBLE_DEVICES=${list##*,} python train.py  # ~ missing-device-order note
