$CUDA_VISIBLE_DEVICES = "1"
python -c "import torch; torch.cuda.init()"  # ~ missing-visible-devices warning
