import torch


class os:
    environ = {}


os.environ["CUDA_VISIBLE_DEVICES"] = "0"
torch.ones(1).cuda()  # ~ missing-visible-devices warning
