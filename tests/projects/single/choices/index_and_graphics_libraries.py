import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "0"

import faiss
import paddle
import rmm
import spacy
from llama_cpp import Llama
from sentence_transformers import SentenceTransformer
from ultralytics import YOLO

faiss.index_cpu_to_gpu(faiss.StandardGpuResources(), 1, None)  # ~ device-outside-mask error
config = faiss.GpuIndexFlatConfig()
config.device = 1  # ~ device-outside-mask error
paddle.device.set_device("gpu:1")  # ~ device-outside-mask error
paddle.set_device("gpu:1")  # ~ device-outside-mask error
rmm.reinitialize(devices=1)  # ~ device-outside-mask error
spacy.require_gpu(1)  # ~ device-outside-mask error
Llama("model.gguf", n_gpu_layers=1, main_gpu=1)  # ~ device-outside-mask error
Llama("model.gguf", n_gpu_layers=1, n_threads=1)
SentenceTransformer("name", device="cuda:1")  # ~ device-outside-mask error
YOLO("model.pt").predict("image.png", device=1, imgsz=1)  # ~ device-outside-mask error
YOLO("model.pt").train(data="data.yaml", epochs=1, device="0,1")  # ~ device-outside-mask error
