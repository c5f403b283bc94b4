export CUDA_DEVICE_ORDER=PCI_BUS_ID
case "$(hostname)" in
    big) export CUDA_VISIBLE_DEVICES=1 ;;
    *) export CUDA_VISIBLE_DEVICES=0 ;;
esac
python train.py
