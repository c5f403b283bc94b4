import torch
class Base:
    def go(self): pass
class Net:
    def __init__(self): torch.cuda.init()
class Deep(Base):
    def go(self): torch.cuda.current_device()
