import subprocess
import sys
import textwrap

CODE = textwrap.dedent(
    """
    import torch
    torch.cuda.set_device(1)
    torch.zeros(1, device="cuda:1")
    """
)
subprocess.run([sys.executable, "-c", CODE], check=True)
