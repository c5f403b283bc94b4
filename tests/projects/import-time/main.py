import app.later
import app.pool
import app.registry
import torch

if torch.cuda.is_available():
    print(app.registry.first())
