import os

mask = os.environ.get("CUDA_VISIBLE_DEVICES", "")
cards = [int(card) for card in mask.split(",") if card.isdigit()]
