function Set-Card([string]$Index = "0") {
    $env:CUDA_VISIBLE_DEVICES = $Index  # ~ missing-device-order warning
}
set-card -Index 1
python train.py
