train:
	# gpulint: ignore[missing-device-order] the cards are the same
	CUDA_VISIBLE_DEVICES=0 python train.py
