export CUDA_DEVICE_ORDER=PCI_BUS_ID
watch -n 60 "CUDA_VISIBLE_DEVICES=1 python train.py"
watch -n 1 nvidia-smi
