import torch

NEW = hasattr(torch.backends.cuda.matmul, "fp32_precision")
VERSION = tuple(int(part) for part in torch.__version__.split(".")[:2])

if VERSION >= (2, 9):
    torch.backends.cuda.matmul.fp32_precision = "tf32"
else:
    torch.backends.cuda.matmul.allow_tf32 = True


def alone():
    torch.set_float32_matmul_precision("high")
    return torch.get_float32_matmul_precision(), torch.backends.cudnn.benchmark, NEW
