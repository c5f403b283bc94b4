export CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=1
docker run --gpus all trainer:1 python -c "import torch; torch.cuda.init()"  # ~ missing-visible-devices warning
