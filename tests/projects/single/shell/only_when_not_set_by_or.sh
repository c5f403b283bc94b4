export CUDA_DEVICE_ORDER=PCI_BUS_ID
test -n "${CUDA_VISIBLE_DEVICES:-}" || export CUDA_VISIBLE_DEVICES=0
python train.py
