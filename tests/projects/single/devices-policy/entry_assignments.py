config = {}
config["device"] = "cuda:1"  # ~ device-not-allowed error
config["title"] = "cuda:1"
print(config)
