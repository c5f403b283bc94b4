try:
    from . import env
except ImportError:
    import env

import torch

if __name__ == "__main__":
    torch.ones(1).cuda()
