def prepare():
    print("nothing to prepare")
