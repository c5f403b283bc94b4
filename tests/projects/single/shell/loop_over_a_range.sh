for gpu in {0..3}; do
    CUDA_VISIBLE_DEVICES=$gpu python train.py  # ~ missing-device-order warning
done
