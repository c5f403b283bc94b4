import lightning
from accelerate import Accelerator
from transformers import TrainingArguments

TrainingArguments(output_dir="out", use_cpu=True)
lightning.Trainer(accelerator="cpu").fit(None)
Accelerator(cpu=True).prepare(None)
