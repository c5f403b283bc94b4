"""A stand-in for TensorFlow's context: there is none until something asks for the GPUs."""

_context = None


class Context:
    _initialized = True


def context_safe():
    return _context


def open_gpus():
    global _context
    if _context is None:
        import simulated_driver

        simulated_driver.count()
        _context = Context()
