Start-Job -ScriptBlock { $env:CUDA_DEVICE_ORDER = "PCI_BUS_ID"; $env:CUDA_VISIBLE_DEVICES = "1" } | Wait-Job
python -c "import torch; torch.cuda.init()"  # ~ missing-visible-devices warning
