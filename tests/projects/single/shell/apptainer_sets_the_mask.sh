apptainer exec --nv --env CUDA_DEVICE_ORDER=PCI_BUS_ID,CUDA_VISIBLE_DEVICES=1 image.sif python train.py
