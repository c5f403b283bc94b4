setlocal
set CUDA_DEVICE_ORDER=PCI_BUS_ID
set CUDA_VISIBLE_DEVICES=1
endlocal
python -c "import torch; torch.cuda.init()" & rem # ~ missing-visible-devices warning
