import attached

attached.start()
attached.cards.choose("0")  # ~ pin-after-cuda-init error
