import torch


class MemoryPool:
    stream = torch.cuda.Stream()  # ~ gpu-object-at-import warning
    limit = torch.cuda.get_device_properties(0).total_memory  # ~ cuda-call-in-default-argument warning

    def __init__(self, size=torch.cuda.mem_get_info()[0]):  # ~ cuda-call-in-default-argument warning
        self.size = size


try:
    NAME = torch.cuda.get_device_name(0)  # ~ cuda-query-at-import note
except RuntimeError:
    NAME = None

scaler = torch.cuda.amp.GradScaler()  # ~ gpu-object-at-import warning, deprecated-amp-api warning
quiet = torch.cuda.amp.GradScaler(enabled=False)  # ~ deprecated-amp-api warning
