$gpu = 1
$env:CUDA_VISIBLE_DEVICES = "$gpu,${gpu}"  # ~ missing-device-order warning
python train.py
