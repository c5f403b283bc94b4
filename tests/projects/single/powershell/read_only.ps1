if ($env:CUDA_VISIBLE_DEVICES -eq "1") { Write-Host "second: $env:CUDA_VISIBLE_DEVICES" }
Get-ChildItem Env:CUDA_VISIBLE_DEVICES
nvidia-smi -i $env:CUDA_VISIBLE_DEVICES
