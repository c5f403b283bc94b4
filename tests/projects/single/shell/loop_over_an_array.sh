GPUS=(GPU-8932f937-d72c-4106-c12f-20bd9faed9f6 GPU-0ba1e4f5-8d1b-4ad9-8f6f-0f3f1c0e2a11)
for gpu in "${GPUS[@]}"; do
    CUDA_VISIBLE_DEVICES=$gpu python train.py
done
