from torch.cuda import init as has_cuda

print(has_cuda())  # ~ missing-visible-devices warning
