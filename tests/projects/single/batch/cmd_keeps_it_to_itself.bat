set CUDA_DEVICE_ORDER=PCI_BUS_ID
cmd /c "set CUDA_VISIBLE_DEVICES=1"
python -c "import torch; torch.cuda.init()" & rem # ~ missing-visible-devices warning
