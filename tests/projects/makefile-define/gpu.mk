define on_card
	@CUDA_VISIBLE_DEVICES=0 python train.py
# ~^ missing-device-order warning
endef

train:
	$(call on_card,x)
