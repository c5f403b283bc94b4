@echo off
set CUDA_DEVICE_ORDER=PCI_BUS_ID
set CUDA_VISIBLE_DEVICES=0
python train.py
echo CUDA_VISIBLE_DEVICES=0 python train.py
