set CUDA_DEVICE_ORDER=PCI_BUS_ID
set CUDA_VISIBLE_DEVICES=0
set CUDA_VISIBLE_DEVICES=1
rem # ~^ conflicting-pins warning
python train.py
