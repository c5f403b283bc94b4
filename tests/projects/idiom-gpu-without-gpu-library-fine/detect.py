"""The CPU is a provider too."""
import onnxruntime

if __name__ == "__main__":
    session = onnxruntime.InferenceSession("model.onnx", providers=["CPUExecutionProvider"])
    print(session)
