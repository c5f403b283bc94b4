. "$PSScriptRoot\env.ps1"
python $PSScriptRoot\train.py
