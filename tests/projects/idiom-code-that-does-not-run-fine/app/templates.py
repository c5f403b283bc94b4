"""Scripts for the queue; this file itself uses no card."""
SCRIPT = """
import torch

torch.cuda.set_device(1)
model = torch.nn.Linear(2, 2).to("cuda:1")
"""
COMMAND = "python -c 'import torch; torch.cuda.init()'"


def write(path, card=0):
    """Writes a script.

    >>> import torch
    >>> torch.zeros(1, device="cuda:1")
    """
    with open(path, "w") as script:
        script.write(SCRIPT + f"print('cuda:1', {card})")
