foreach ($g in 0,1) {
    $env:CUDA_VISIBLE_DEVICES = $g  # ~ missing-device-order warning
    python train.py
}
