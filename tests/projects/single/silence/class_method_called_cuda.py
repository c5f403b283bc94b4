import os


class torch_like:
    @staticmethod
    def is_available():
        return False


class cuda(torch_like):
    pass


if cuda.is_available():
    os.environ["CUDA_VISIBLE_DEVICES"] = "1"
