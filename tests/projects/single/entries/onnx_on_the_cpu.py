import onnxruntime as ort

session = ort.InferenceSession("m.onnx", providers=["CPUExecutionProvider"])
