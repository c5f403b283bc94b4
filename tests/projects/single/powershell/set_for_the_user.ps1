[Environment]::SetEnvironmentVariable("CUDA_VISIBLE_DEVICES", "1", "User")
[Environment]::SetEnvironmentVariable("CUDA_VISIBLE_DEVICES", "1", [EnvironmentVariableTarget]::Machine)
python -c "import torch; torch.cuda.init()"  # ~ missing-visible-devices warning
