for gpu in $(nvidia-smi --query-gpu=uuid --format=csv,noheader); do
    CUDA_VISIBLE_DEVICES=$gpu python train.py
done
