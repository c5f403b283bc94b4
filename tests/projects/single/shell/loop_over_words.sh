GPUS="0 1"
for gpu in $GPUS; do
    CUDA_VISIBLE_DEVICES=$gpu python train.py  # ~ missing-device-order warning
done
