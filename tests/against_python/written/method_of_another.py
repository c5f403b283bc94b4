import os
class Box:
    def __init__(self, inner=None):
        self.inner = inner
        self.value = "0"
    def put(self, v):
        self.value = v
        if self.inner:
            self.inner.put(v)
a = Box()
b = Box(a)
b.put("1")
os.environ["CUDA_VISIBLE_DEVICES"] = a.value
