from dataclasses import dataclass

import transformers
from transformers import HfArgumentParser, Trainer


@dataclass
class ModelArguments:
    name: str = "small"


@dataclass
class Arguments(transformers.TrainingArguments):
    cache: str = "cache"


class Mine(Trainer):
    def __init__(self, *args, **options):
        super().__init__(*args, **options)  # ~ missing-visible-devices warning


if __name__ == "__main__":
    parser = HfArgumentParser((ModelArguments, Arguments))
    model_arguments, arguments = parser.parse_args_into_dataclasses()
    Mine(model=None, args=arguments).train()
