export CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=1
docker run --gpus all -e CUDA_DEVICE_ORDER -e CUDA_VISIBLE_DEVICES trainer:1 python train.py
