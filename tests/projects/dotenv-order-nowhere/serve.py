from dotenv import load_dotenv

load_dotenv()

import torch

torch.ones(1).cuda()
