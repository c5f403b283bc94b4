import os
from state import settings
settings.mask = "1"
os.environ["CUDA_VISIBLE_DEVICES"] = settings.mask
