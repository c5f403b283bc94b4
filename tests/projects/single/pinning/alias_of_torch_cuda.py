from torch import cuda

if cuda.is_available():  # ~ missing-visible-devices warning
    print(cuda.get_device_name(0))
