from dotenv import load_dotenv

load_dotenv(".env")

import torch

torch.ones(1).cuda()
