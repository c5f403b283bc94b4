for gpu in 0 1; do
    bash -c "CUDA_VISIBLE_DEVICES=$gpu python train.py" &  # ~ missing-device-order warning
done
