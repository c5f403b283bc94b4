import service
import torch
from service.guards import ensure_card

CHECKS = [ensure_card]
for check in CHECKS:
    check()
torch.zeros(1, device="cuda")
