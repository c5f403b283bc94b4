export CUDA_DEVICE_ORDER=PCI_BUS_ID
echo 0 | export CUDA_VISIBLE_DEVICES=0
python -c "import torch; torch.cuda.init()"  # ~ missing-visible-devices warning
