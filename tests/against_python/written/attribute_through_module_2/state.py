class S:
    mask = "3"
