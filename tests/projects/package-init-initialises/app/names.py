NAME = "app"
