class S:
    def __init__(self, mask): self.mask = mask
settings = S("3")
