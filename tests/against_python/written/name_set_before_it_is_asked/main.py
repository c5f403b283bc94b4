import os
import settings
settings.CARD = "3"
def choose():
    os.environ["CUDA_VISIBLE_DEVICES"] = settings.CARD
choose()
