class Part:
    device = "cpu"
