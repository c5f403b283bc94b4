print("no GPU")
