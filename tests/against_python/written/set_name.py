import os
class Slot:
    def __set_name__(self, owner, name):
        self.name = name.upper()
    def __set__(self, obj, value):
        os.environ[self.name] = value
class Process:
    cuda_visible_devices = Slot()
Process().cuda_visible_devices = "1"
