"""CuPy, JAX and TensorFlow. The name of each begins with what the plugin is to say of it."""

KEPT, CACHE = [], {}


def test_clean_cupy():
    import cupy

    cupy.zeros(1000, 1000)


def test_leak_cupy():
    import cupy

    KEPT.append(cupy.zeros(1000, 1000))


def test_once_cupy():
    import cupy

    CACHE["cupy"] = cupy.zeros(1000, 1000)


def test_clean_jax():
    import jax

    jax.zeros(1000, 1000)


def test_leak_jax():
    import jax

    KEPT.append(jax.zeros(1000, 1000))


def test_clean_tensorflow():
    import tensorflow

    tensorflow.zeros((1000, 1000))


def test_leak_tensorflow():
    import tensorflow

    KEPT.append(tensorflow.zeros((1000, 1000)))
