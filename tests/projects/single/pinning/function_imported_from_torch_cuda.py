from torch.cuda import is_available as has_cuda

print(has_cuda())  # ~ missing-visible-devices warning
