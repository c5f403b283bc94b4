import torch

torch.manual_seed(0)
torch.cuda.manual_seed_all(0)
start = torch.cuda.Event(enable_timing=True)
print(torch.cuda.is_initialized(), torch.cuda.device_count(), torch.cuda.get_arch_list())
