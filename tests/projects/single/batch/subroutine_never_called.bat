python -c "import torch; torch.cuda.init()" & rem # ~ missing-visible-devices warning
goto :eof
:pin
set CUDA_VISIBLE_DEVICES=1
goto :eof
