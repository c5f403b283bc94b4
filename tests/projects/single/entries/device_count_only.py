import torch

print(torch.cuda.device_count(), torch.cuda.memory_allocated())
torch.cuda.empty_cache()
