export CUDA_DEVICE_ORDER=PCI_BUS_ID
accelerate launch --gpu_ids 1 train.py  # ~ wrong-visible-devices error
accelerate launch --gpu_ids 0 train.py --again
deepspeed --include localhost:1 train.py  # ~ wrong-visible-devices error
