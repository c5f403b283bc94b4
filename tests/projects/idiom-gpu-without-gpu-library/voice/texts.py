"""What is said."""
TEXTS = ["good morning", "good night"]


def all_texts():
    return list(TEXTS)
