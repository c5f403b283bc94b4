FREE=`nvidia-smi --query-gpu=index --format=csv,noheader | head -n 1`
CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=$FREE python b.py
