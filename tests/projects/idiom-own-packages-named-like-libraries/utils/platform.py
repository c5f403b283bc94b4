"""What this machine is."""
import torch

CARDS = torch.cuda.is_available()  # ~ cuda-query-at-import note
