config = {}
config["device"] = "cuda:1"  # ~ device-not-allowed warning
config["title"] = "cuda:1"
print(config)
