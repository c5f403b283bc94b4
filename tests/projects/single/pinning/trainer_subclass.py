from transformers import Trainer


class Mine(Trainer):
    def __init__(self, model, **options):
        super().__init__(model, **options)  # ~ missing-visible-devices warning


if __name__ == "__main__":
    Mine(None).train()
