import torch

print(torch.__version__)  # gpulint: ignore[missing-visible-devices] nothing here
# ~^ unused-suppression warning
