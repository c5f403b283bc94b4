docker run --gpus all -e CUDA_DEVICE_ORDER=PCI_BUS_ID -e CUDA_VISIBLE_DEVICES=0 trainer:1 python train.py  # ~ wrong-visible-devices note
