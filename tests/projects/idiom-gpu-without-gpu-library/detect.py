"""The provider chooses the GPU."""
import onnxruntime

if __name__ == "__main__":
    session = onnxruntime.InferenceSession("model.onnx", providers=["CUDAExecutionProvider"])  # ~ missing-visible-devices note, provider-dropped note
    print(session)
