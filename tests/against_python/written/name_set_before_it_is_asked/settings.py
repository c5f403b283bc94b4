CARD = "49"
