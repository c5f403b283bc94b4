def helper():
    return None
