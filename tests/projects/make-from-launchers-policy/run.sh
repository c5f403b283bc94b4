export CUDA_DEVICE_ORDER=PCI_BUS_ID
CUDA_VISIBLE_DEVICES=1 make -f trainer.mk train  # ~ wrong-visible-devices error
CUDA_VISIBLE_DEVICES=0 make -f trainer.mk train
make -f trainer.mk -n train
