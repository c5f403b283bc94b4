for /f "tokens=*" %%g in ('nvidia-smi --query-gpu^=uuid --format^=csv,noheader') do (
    set CUDA_VISIBLE_DEVICES=%%g
    python train.py
)
