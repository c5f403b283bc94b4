import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "0"

import onnxruntime as ort

providers = [("CUDAExecutionProvider", {"device_id": 1}), "CPUExecutionProvider"]  # ~ device-outside-mask error
ort.InferenceSession("model.onnx", providers=providers)
ort.InferenceSession(
    "model.onnx",
    providers=["CUDAExecutionProvider"],  # ~ provider-dropped note
    provider_options=[{"device_id": "1"}],  # ~ device-outside-mask error
)
ort.InferenceSession("model.onnx", providers=["CPUExecutionProvider"])
ort.InferenceSession("model.onnx", providers=[("CUDAExecutionProvider", {"device_id": 0})])  # ~ provider-dropped note
