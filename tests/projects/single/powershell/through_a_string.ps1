$gpu = 1
$env:CUDA_VISIBLE_DEVICES = "$gpu,${gpu}"  # ~ missing-device-order warning, visible-devices-hides-all error
python train.py
