import os

import torch


def main():
    os.environ["PYTORCH_ENABLE_MPS_FALLBACK"] = "1"  # ~ mps-fallback-too-late warning
    return torch.ones(1)


if __name__ == "__main__":
    main()
