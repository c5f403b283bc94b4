place = "cpu"
