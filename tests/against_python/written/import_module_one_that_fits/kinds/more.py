import torch
def run(): torch.cuda.current_device()
