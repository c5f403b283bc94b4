import json
import os

os.environ.update(json.load(open("environment.json")))

import torch

torch.cuda.init()
