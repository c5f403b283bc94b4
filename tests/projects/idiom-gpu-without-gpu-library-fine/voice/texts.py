"""What is said."""
TEXTS = ["good morning", "good night", "pass --use_gpu to use the GPU"]


def all_texts():
    return list(TEXTS)
