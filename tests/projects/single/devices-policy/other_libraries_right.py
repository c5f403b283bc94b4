def build(text, model):
    import ctranslate2
    import cupy as cp
    import jax
    import lightning as L
    import onnxruntime as ort
    import tensorflow as tf
    import xgboost as xgb
    from faster_whisper import WhisperModel
    from llama_cpp import Llama
    from numba import cuda
    from sentence_transformers import SentenceTransformer
    from transformers import AutoModel, pipeline

    pipeline("text-generation", model="gpt2", device=-1)
    pipeline("text-generation", model="gpt2", device=0)
    AutoModel.from_pretrained("gpt2", device_map="auto")
    AutoModel.from_pretrained("gpt2", device_map={"": 0})
    L.Trainer(accelerator="gpu", devices=2)
    L.Trainer(accelerator="gpu", devices="2")
    L.Trainer(accelerator="gpu", devices=[0])
    L.Trainer(accelerator="gpu", devices=-1)
    L.Trainer(accelerator="cpu", devices=1)
    WhisperModel("large-v3", device="cuda", device_index=0)
    ctranslate2.Translator("ende", device="cpu", device_index=0)
    ort.InferenceSession("m.onnx", providers=[("CUDAExecutionProvider", {"device_id": 0}), "CPUExecutionProvider"])
    Llama("m.gguf", main_gpu=0, n_gpu_layers=1)
    cp.cuda.Device(0).use()
    cuda.select_device(0)
    jax.devices()[0]
    jax.devices("cpu")[1]
    with tf.device("/CPU:1"):
        pass
    xgb.XGBClassifier(device="cuda", n_jobs=1)
    SentenceTransformer("m", device="cuda")
