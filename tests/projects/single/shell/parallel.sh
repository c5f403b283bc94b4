parallel -j 2 'CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES={} python train.py' ::: 0 1
