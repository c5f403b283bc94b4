CARDS = "0"
