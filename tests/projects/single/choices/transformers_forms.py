import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "0"

from transformers import AutoModel, TrainingArguments, pipeline

pipeline("summarization", device=1)  # ~ device-outside-mask error
pipeline("summarization", device="cuda:1")  # ~ device-outside-mask error
pipeline("summarization", device=0, batch_size=1)
pipeline("summarization", device=-1)
AutoModel.from_pretrained("name", device_map={"": 1})  # ~ device-outside-mask error
AutoModel.from_pretrained("name", device_map="auto")
AutoModel.from_pretrained("name", revision=1)
TrainingArguments("out", per_device_train_batch_size=1, dataloader_num_workers=1)
