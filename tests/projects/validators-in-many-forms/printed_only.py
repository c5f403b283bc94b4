import env
import torch

print(torch.cuda.get_device_name(0))
torch.zeros(1, device="cuda")  # ~ missing-gpu-validation warning
