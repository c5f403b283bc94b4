docker run --gpus all trainer:1 bash -c 'export CUDA_VISIBLE_DEVICES=1 && python train.py'  # ~ missing-device-order note
