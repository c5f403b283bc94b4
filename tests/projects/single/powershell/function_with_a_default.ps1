function Set-Card {
    param(
        [Parameter(Position = 0)]
        [string]$Index = "GPU-8932f937-d72c-4106-c12f-20bd9faed9f6"
    )
    $env:CUDA_VISIBLE_DEVICES = $Index
}
Set-Card
python train.py
