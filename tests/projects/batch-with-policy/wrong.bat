set CUDA_DEVICE_ORDER=PCI_BUS_ID
set CUDA_VISIBLE_DEVICES=0
rem # ~^ wrong-visible-devices error
python train.py
