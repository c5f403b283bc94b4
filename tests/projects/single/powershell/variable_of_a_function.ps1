function Show-Card { $card = "1"; Write-Host $card }
$card = "GPU-8932f937-d72c-4106-c12f-20bd9faed9f6"
Show-Card
$env:CUDA_VISIBLE_DEVICES = $card
python train.py
