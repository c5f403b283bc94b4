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

    pipeline("text-generation", model="gpt2", device=1)  # ~ device-not-allowed error
    pipeline("text-generation", model="gpt2", device="cuda:1")  # ~ device-not-allowed error
    AutoModel.from_pretrained("gpt2", device_map={"": 1})  # ~ device-not-allowed error
    AutoModel.from_pretrained("gpt2", device_map="cuda:1")  # ~ device-not-allowed error
    L.Trainer(accelerator="gpu", devices=[1])  # ~ device-not-allowed error
    L.Trainer(accelerator="gpu", devices="1,")  # ~ device-not-allowed error
    WhisperModel("large-v3", device="cuda", device_index=1)  # ~ device-not-allowed error
    ctranslate2.Translator("ende", device="cuda", device_index=1)  # ~ device-not-allowed error
    ort.InferenceSession("m.onnx", providers=[("CUDAExecutionProvider", {"device_id": 1})])  # ~ device-not-allowed error, provider-dropped note
    ort.InferenceSession("m.onnx", providers=["CUDAExecutionProvider"], provider_options=[{"device_id": 1}])  # ~ device-not-allowed error, provider-dropped note
    Llama("m.gguf", main_gpu=1)  # ~ device-not-allowed error
    cp.cuda.Device(1).use()  # ~ device-not-allowed error
    with cp.cuda.Device(1):  # ~ device-not-allowed error
        pass
    cp.cuda.runtime.setDevice(1)  # ~ device-not-allowed error
    cuda.select_device(1)  # ~ device-not-allowed error
    jax.devices()[1]  # ~ device-not-allowed error
    jax.devices("gpu")[1]  # ~ device-not-allowed error
    with tf.device("/GPU:1"):  # ~ device-not-allowed error, tensorflow-touches-all-cards note
        pass
    xgb.XGBClassifier(device="cuda:1")  # ~ device-not-allowed error
    SentenceTransformer("m", device="cuda:1")  # ~ device-not-allowed error
