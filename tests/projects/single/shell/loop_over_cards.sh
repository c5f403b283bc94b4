export CUDA_DEVICE_ORDER=PCI_BUS_ID
for gpu in 0 1; do
    CUDA_VISIBLE_DEVICES=$gpu python train.py &
done
wait
