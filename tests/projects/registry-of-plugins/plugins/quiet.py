NAME = "quiet"
