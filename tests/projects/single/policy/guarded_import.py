try:
    import cupy  # ~ missing-visible-devices error, missing-device-order error
except ImportError:
    cupy = None
print(cupy)
