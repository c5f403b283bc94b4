from attached import cards, start

cards.choose("1")  # ~ pin-after-gpu-import note
start()
