import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "0"

import torch

x = torch.ones(4)
x.to(torch.float16)
x.to("cpu")
x.to(device="cuda", dtype=torch.float32)  # ~ device-move-dropped warning
x.sum(1)
x.unsqueeze(1)
torch.zeros(1)
torch.zeros(1, 2, device="cuda")
torch.manual_seed(1)
torch.cuda.manual_seed(1)
torch.cuda.manual_seed_all(1)
torch.set_num_threads(1)
torch.cuda.set_per_process_memory_fraction(1)
torch.randint(1, 2, (3,))
