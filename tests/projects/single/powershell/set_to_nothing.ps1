$env:CUDA_VISIBLE_DEVICES = ""
python train.py
