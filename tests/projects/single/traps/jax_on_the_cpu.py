import os

os.environ["JAX_PLATFORMS"] = "cpu"

import jax

print(jax.__version__)
