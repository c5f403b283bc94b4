"""Joint audio extraction; ours. It asks the card."""
import torch

COUNT = torch.cuda.is_available()  # ~ cuda-query-at-import note
