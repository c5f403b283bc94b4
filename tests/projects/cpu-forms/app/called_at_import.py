def _detect():
    try:
        import torch  # ~ gpu-import-in-cpu-mode error
    except ImportError:
        return False
    return True


HAS_TORCH = _detect()
