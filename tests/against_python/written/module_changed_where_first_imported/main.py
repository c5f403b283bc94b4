import os

import chosen
import settings

os.environ["CUDA_VISIBLE_DEVICES"] = settings.CARDS
