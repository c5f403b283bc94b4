foreach ($g in (nvidia-smi --query-gpu=uuid --format=csv,noheader)) {
    $env:CUDA_VISIBLE_DEVICES = $g
    python train.py
}
