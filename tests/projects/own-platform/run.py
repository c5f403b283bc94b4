from platform import prepare
import utils

prepare()
utils.noop()

import torch

torch.ones(1).cuda()
