import os

text = "0,1,2"
os.environ["CUDA_VISIBLE_DEVICES"] = text[text.find("1") :]
os.environ["CUDA_VISIBLE_DEVICES"] = str(text.count(","))
os.environ["CUDA_VISIBLE_DEVICES"] = str(text.index("2") + text.find("7") + text.rfind(","))
if "10" < "9":
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
