set -o allexport
CUDA_DEVICE_ORDER=PCI_BUS_ID
set +o allexport
CUDA_VISIBLE_DEVICES=0
python -c "import torch; torch.cuda.init()"  # ~ missing-visible-devices warning
