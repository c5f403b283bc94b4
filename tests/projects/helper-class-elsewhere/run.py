from gpu.manager import GpuManager

manager = GpuManager.instance()
manager.activate()

import torch

torch.ones(1).cuda()
