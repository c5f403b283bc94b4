declare -x CUDA_DEVICE_ORDER=PCI_BUS_ID
typeset -x CUDA_VISIBLE_DEVICES=1
python train.py
