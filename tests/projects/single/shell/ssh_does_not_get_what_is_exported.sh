export CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=1
ssh -p 2222 user@gpu-box 'python -c "import torch; torch.cuda.init()"'  # ~ missing-visible-devices warning
