ollama list
echo "python -c 'import torch; torch.cuda.init()'"
CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=1 python -c "import torch; torch.cuda.init()"
