GPUS=(GPU-8932f937-d72c-4106-c12f-20bd9faed9f6 1)
export CUDA_VISIBLE_DEVICES=${GPUS[0]}
python train.py
export CUDA_VISIBLE_DEVICES=${GPUS[1]}  # ~ missing-device-order warning
python train.py
