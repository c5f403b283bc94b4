param([string]$Card = "0")
$env:CUDA_VISIBLE_DEVICES = $Card
python .\train.py
