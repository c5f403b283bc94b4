CUDA_DEVICE_ORDER=FASTEST_FIRST CUDA_VISIBLE_DEVICES=1 python train.py  # ~ wrong-device-order error
