Set-Item Variable:CUDA_VISIBLE_DEVICES 1
New-Item -Path . -Name CUDA_VISIBLE_DEVICES -Value 1
python -c "import torch; torch.cuda.init()"  # ~ missing-visible-devices warning
