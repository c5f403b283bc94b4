export PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb=512  # ~ alloc-conf-invalid error
export CUDA_LAUNCH_BLOCKING=1  # ~ launch-blocking-committed note
python train.py
