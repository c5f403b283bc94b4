import torch
def run(): torch.cuda.init()
