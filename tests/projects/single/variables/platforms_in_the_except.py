import os

try:
    import jax
except ImportError:
    os.environ["JAX_PLATFORMS"] = "cpu"
