function Set-Card {
    param($Index = "0")
    $env:CUDA_VISIBLE_DEVICES = $Index
}
python -c "import torch; torch.cuda.init()"  # ~ missing-visible-devices warning
