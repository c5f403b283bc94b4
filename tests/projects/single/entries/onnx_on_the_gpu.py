import onnxruntime as ort

session = ort.InferenceSession("m.onnx", providers=["CUDAExecutionProvider", "CPUExecutionProvider"])  # ~ missing-visible-devices warning
