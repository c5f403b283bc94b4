from torch import cuda

print(cuda.is_available())
