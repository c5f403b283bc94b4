export CUDA_DEVICE_ORDER=PCI_BUS_ID
case "$1" in
    one) export CUDA_VISIBLE_DEVICES=1 ;;
    two) export CUDA_VISIBLE_DEVICES=2 ;;
esac
python -c "import torch; torch.cuda.init()"  # ~ missing-visible-devices note
