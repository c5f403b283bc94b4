from transformers import AutoModel

model = AutoModel.from_pretrained("gpt2")
model.to("cuda")  # ~ missing-visible-devices warning
