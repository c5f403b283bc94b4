import os

from sentence_transformers import SentenceTransformer

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "0"  # ~ pin-after-gpu-import note
model = SentenceTransformer("all-MiniLM-L6-v2", device="cuda")
