import os

import settings

os.environ["CUDA_VISIBLE_DEVICES"] = "2"
settings.forget()
