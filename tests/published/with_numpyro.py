"""Samples from a posterior with NumPyro, on JAX's build for the CPU."""

import jax
import jax.numpy as jnp
import numpyro
import numpyro.distributions as distributions
from numpyro.infer import MCMC, NUTS


def model(data):
    mean = numpyro.sample("mean", distributions.Normal(0.0, 10.0))
    numpyro.sample("seen", distributions.Normal(mean, 1.0), obs=data)


sampler = MCMC(NUTS(model), num_warmup=20, num_samples=20, progress_bar=False)
sampler.run(jax.random.PRNGKey(0), jnp.arange(5.0))
print(sampler.get_samples()["mean"].shape, jax.devices())
