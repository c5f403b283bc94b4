: "${CUDA_VISIBLE_DEVICES:=0}"
python -c "import torch; torch.cuda.init()"  # ~ missing-visible-devices warning
