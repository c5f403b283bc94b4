from models import register
@register("one")
def one():
    import torch
    torch.cuda.init()
