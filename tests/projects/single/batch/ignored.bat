rem gpulint: ignore[missing-device-order]
set CUDA_VISIBLE_DEVICES=1
python train.py
