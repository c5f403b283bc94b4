set CUDA_DEVICE_ORDER=PCI_BUS_ID
set CUDA_VISIBLE_DEVICES=1
set CUDA_VISIBLE_DEVICES=
rem # ~^ pin-removed warning
python train.py
