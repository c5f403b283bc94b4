$env:CUDA_VISIBLE_DEVICES = "1"  # gpulint: ignore[missing-device-order]
python train.py
