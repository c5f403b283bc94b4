from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained("gpt2", device_map="cuda:0")  # ~ missing-visible-devices warning
