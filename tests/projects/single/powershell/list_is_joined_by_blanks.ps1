$env:CUDA_DEVICE_ORDER = "PCI_BUS_ID"
$env:CUDA_VISIBLE_DEVICES = 0, 1  # ~ visible-devices-truncated error
$cards = 2, 3
$env:CUDA_VISIBLE_DEVICES = $cards  # ~ visible-devices-truncated error, conflicting-pins warning
$env:CUDA_VISIBLE_DEVICES = $cards -join ","
$env:CUDA_VISIBLE_DEVICES = @(1)
