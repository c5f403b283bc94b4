export CUDA_DEVICE_ORDER=PCI_BUS_ID
export CUDA_VISIBLE_DEVICES=0
python train.py
export CUDA_VISIBLE_DEVICES=1
python train.py
