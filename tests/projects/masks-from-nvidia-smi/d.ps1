$env:CUDA_VISIBLE_DEVICES = (nvidia-smi --query-gpu=index --format=csv,noheader | Select-Object -First 1)
python d.py
