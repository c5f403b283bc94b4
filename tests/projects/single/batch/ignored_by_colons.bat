:: gpulint: ignore[missing-device-order] the cards are the same
set CUDA_VISIBLE_DEVICES=1
python train.py
