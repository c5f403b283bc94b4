import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "0"

import torch

x = torch.ones(1)
x.cuda(1)  # ~ device-outside-mask error, device-move-dropped warning
x.cuda(device=1)  # ~ device-outside-mask error, device-move-dropped warning
x.to(1)  # ~ device-outside-mask error, device-move-dropped warning
x.to(device="cuda:1")  # ~ device-outside-mask error, device-move-dropped warning
x.to(torch.device("cuda", 1))  # ~ device-outside-mask error, device-move-dropped warning
x.to(torch.device("cuda:1"), non_blocking=True)  # ~ device-outside-mask error, device-move-dropped warning
torch.randn(2, 2, device=1)  # ~ device-outside-mask error
torch.Generator("cuda:1")  # ~ device-outside-mask error
torch.nn.Linear(1, 1, device="cuda:1")  # ~ device-outside-mask error
torch.cuda.get_device_name(1)  # ~ device-outside-mask error
torch.cuda.memory_allocated(1)  # ~ device-outside-mask error
torch.cuda.synchronize(1)  # ~ device-outside-mask error
torch.set_default_device("cuda:1")  # ~ device-outside-mask error
torch.load("model.pt", map_location="cuda:1")  # ~ device-outside-mask error
torch.nn.DataParallel(torch.nn.Linear(1, 1), device_ids=[0, 1])  # ~ device-outside-mask error
torch.cuda.set_per_process_memory_fraction(0.5, 1)  # ~ device-outside-mask error
with torch.cuda.device(1):  # ~ device-outside-mask error
    print(x)
