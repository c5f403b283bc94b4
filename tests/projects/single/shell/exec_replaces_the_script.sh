export CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=1
exec python train.py
unset CUDA_VISIBLE_DEVICES
python train.py
