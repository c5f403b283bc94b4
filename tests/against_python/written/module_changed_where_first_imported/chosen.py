import os

try:
    del os.environ["CUDA_VISIBLE_DEVICES"]
except KeyError:
    pass
else:
    import settings

    settings.CARDS += ",1"
