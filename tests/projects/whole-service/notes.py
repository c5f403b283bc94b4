print("a script without a GPU")
