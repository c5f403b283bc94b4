def show():
    print("report")
