$help = @"
$env:CUDA_VISIBLE_DEVICES = "0,1"
python -c "import torch; torch.cuda.init()"
"@
Write-Host $help
@'
import torch
torch.cuda.init()
'@ | Set-Content job.py
