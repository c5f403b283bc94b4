export CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=0
export -n CUDA_VISIBLE_DEVICES  # ~ pin-removed warning
python train.py
