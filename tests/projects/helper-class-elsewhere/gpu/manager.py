import os


class GpuManager:
    _instance = None

    def __init__(self):
        self.environment = {"CUDA_DEVICE_ORDER": "PCI_BUS_ID"}
        self.environment["CUDA_VISIBLE_DEVICES"] = "0"

    @classmethod
    def instance(cls):
        if cls._instance is None:
            cls._instance = cls()
        return cls._instance

    def activate(self):
        os.environ.update(self.environment)
