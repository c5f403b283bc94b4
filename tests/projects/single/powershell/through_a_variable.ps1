$gpu = "1"
$env:CUDA_VISIBLE_DEVICES = $GPU  # ~ missing-device-order warning
python train.py
