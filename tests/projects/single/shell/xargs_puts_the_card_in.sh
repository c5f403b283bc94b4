seq 0 1 | xargs -I{} env CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES={} python train.py
