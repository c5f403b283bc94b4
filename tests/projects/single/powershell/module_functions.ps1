Import-Module "$PSScriptRoot\gpu.psm1" -Force
Set-Card 1
python train.py
