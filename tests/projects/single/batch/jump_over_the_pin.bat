goto run
set CUDA_VISIBLE_DEVICES=1
:run
python -c "import torch; torch.cuda.init()" & rem # ~ missing-visible-devices warning
