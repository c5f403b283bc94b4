import os


class App:
    def __init__(self, gpu):
        self.gpu = gpu

    def prepare(self):
        if self.gpu:
            os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
            os.environ["CUDA_VISIBLE_DEVICES"] = "0"

    def run(self):
        import torch

        if self.gpu:
            torch.cuda.init()


app = App(bool(os.environ.get("USE_GPU")))
app.prepare()
app.run()
