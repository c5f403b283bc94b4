screen -dmS train bash -c 'CUDA_VISIBLE_DEVICES=1 python train.py'  # ~ missing-device-order warning
