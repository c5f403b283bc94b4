docker run --rm --gpus all -e CUDA_VISIBLE_DEVICES=1 trainer:1 python train.py  # ~ missing-device-order note
