# The constructor only writes down how much memory is free; what is asserted of its object is something else.
import torch


class Trainer:
    def __init__(self):
        free, total = torch.cuda.mem_get_info()
        print(f"{free} of {total} bytes are free")
        self.steps = 2


trainer = Trainer()
assert trainer.steps == 2
weights = torch.zeros(4, device="cuda")  # ~ missing-visible-devices note
