(export CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=0)  # ~ gpu-env-in-subshell error
python -c "import torch; torch.cuda.init()"  # ~ missing-visible-devices warning
