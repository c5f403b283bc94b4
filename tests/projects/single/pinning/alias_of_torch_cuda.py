from torch import cuda

if cuda.init():  # ~ missing-visible-devices warning
    print(cuda.get_device_name(0))
