# $env:CUDA_VISIBLE_DEVICES = "0,1"
<#
$env:CUDA_VISIBLE_DEVICES = "0,1"
#>
Write-Host 'set $env:CUDA_VISIBLE_DEVICES = "1" first'
"CUDA_VISIBLE_DEVICES=1" | Out-File settings.txt
